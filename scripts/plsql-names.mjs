// Looks names up that a grammar knows nothing of: whether the tables, columns, indexes and variables that a
// statement of sql/oracle names are there, whether any word is unknown, and whether lists have the same length.
import { readFileSync } from 'node:fs';

const blanked = (text) => text.replace(/'(?:[^']|'')*'/g, (all) => `'${' '.repeat(all.length - 2)}'`);

// What stands between the parenthesis at `start` and the one that closes it.
function inParentheses(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; ++at) {
    depth += (text[at] === '(') - (text[at] === ')');
    if (depth === 0) return text.slice(start + 1, at);
  }
  return text.slice(start + 1);
}

// The items between the commas that stand in no parentheses.
function items(text) {
  const list = [''];
  let depth = 0;
  for (const c of text) {
    depth += (c === '(') - (c === ')');
    if (c === ',' && depth === 0) list.push('');
    else list[list.length - 1] += c;
  }
  return list.map((item) => item.trim());
}

function readSchema(path) {
  const text = readFileSync(path, 'utf8').replaceAll("''", "'").replaceAll('{schema}', '');
  const tables = new Map();
  for (const made of text.matchAll(/CREATE (?:GLOBAL TEMPORARY )?TABLE (\w+) \(/g)) {
    const body = inParentheses(text, made.index + made[0].length - 1);
    tables.set(made[1], new Set(items(body).map((item) => item.split(/\s/)[0])));
  }
  const indexes = [...text.matchAll(/INDEX (\w+) ON \w+ \(([^)]*)\)/g)];
  for (const [, index, columns] of indexes) {
    for (const column of items(columns)) {
      if (!tables.get('tq_job').has(column)) throw new Error(`${index}: tq_job has no ${column}`);
    }
  }
  const keys = [...text.matchAll(/CONSTRAINT (\w+) PRIMARY KEY/g)];
  return { tables, indexes: new Set([...indexes, ...keys].map((found) => found[1])) };
}

function* wrongColumns(text, { tables }) {
  const aliases = new Map();
  const named = /\b(?:FROM|JOIN|UPDATE) (?:jobs\.)?(tq_\w+) (?!WHERE|ON|SET)(\w+)/g;
  for (const [, table, alias] of text.matchAll(named)) {
    if (!tables.has(table)) yield `there is no table ${table}`;
    if (!aliases.has(alias)) aliases.set(alias, new Set());
    for (const column of tables.get(table) ?? []) aliases.get(alias).add(column);
  }
  // A subquery, a JSON_TABLE or the record of a loop may have the same name.
  const others = new Set();
  for (const [, one, two] of text.matchAll(/\) (\w+)\b|\bFOR (\w+) IN\b/g)) others.add(one ?? two);
  for (const [, alias, column] of text.matchAll(/(?<![\w.])(\w+)\.(\w+)\b(?![.(])/g)) {
    const known = aliases.get(alias);
    if (known && !others.has(alias) && !known.has(column)) yield `${alias} has no column ${column}`;
  }
}

function* wrongInserts(text, { tables }) {
  const insert = /\bINSERT INTO (?:jobs\.)?(\w+) \(/g;
  for (const found of text.matchAll(insert)) {
    const open = found.index + found[0].length - 1;
    const columns = items(inParentheses(text, open));
    for (const column of columns) {
      if (!tables.get(found[1])?.has(column)) yield `${found[1]} has no column ${column}`;
    }
    const behind = text.slice(open + inParentheses(text, open).length + 2);
    const values = behind.match(/^\s*VALUES \(/);
    if (!values) continue;
    const count = items(inParentheses(behind, values[0].length - 1)).length;
    if (count !== columns.length) yield `${found[1]}: ${columns.length} columns, ${count} values`;
  }
}

function* wrongVariables(text) {
  const begin = text.search(/^BEGIN$/m);
  if (begin < 0) return;
  const declaring = text.slice(0, begin);
  const declared = [...declaring.matchAll(/^ {2}(\w+) (?:VARCHAR2|RAW|NUMBER|TIMESTAMP|CLOB|EXCEPTION)\b/gm)]
    .map((found) => found[1]);
  for (const name of declared) {
    if (text.split(new RegExp(`\\b${name}\\b`)).length < 3) yield `${name} is declared and not used`;
  }
  for (const [, list] of text.matchAll(/(?<!INSERT )\bINTO\s+([\w, \n]+?)\s*(?:;|\bFROM\b)/g)) {
    for (const name of items(list)) {
      if (!declared.includes(name)) yield `${name} is not declared`;
    }
  }
}

// As many variables as columns, where both stand in one statement.
function* wrongCounts(text) {
  for (const found of text.matchAll(/\bSELECT\b((?:(?!\bSELECT\b|;)[\s\S])*?)\bINTO\s+([\w, \n]+?)\s*\bFROM\b/g)) {
    if (found[1].split('(').length !== found[1].split(')').length) continue;
    const chosen = items(found[1].replace(/\/\*.*?\*\//g, '')).length;
    const wanted = items(found[2]).length;
    if (chosen !== wanted) yield `${chosen} columns are selected into ${wanted} variables`;
  }
}

// What is no word of the grammar's, and that the statements use. A new one is added here, once it is seen to
// be in the manual.
const others = new Set(`DUAL NO_DATA_FOUND DUP_VAL_ON_INDEX OTHERS SQLCODE make_table
  tq_producer tq_worker tq_operator
  ALL_COL_PRIVS ALL_INDEXES ALL_TABLES ALL_TAB_PRIVS NLS_DATABASE_PARAMETERS NLS_SESSION_PARAMETERS
  PRODUCT_COMPONENT_VERSION SESSION_PRIVS USER_TS_QUOTAS USER_USERS
  DEFAULT_TABLESPACE FUNCIDX_STATUS INDEX_NAME INI_TRANS MAX_BYTES PARAMETER PRODUCT STATUS TABLESPACE_NAME
  TABLE_NAME TABLE_OWNER TABLE_SCHEMA UNIQUENESS USERNAME`.split(/\s+/));

// The names that a statement itself gives: aliases, cursors and their parameters, variables, columns of a
// subquery or a JSON_TABLE, roles.
function madeNames(text) {
  const names = new Set();
  const add = (pattern) => {
    for (const found of text.matchAll(pattern)) names.add(found[1]);
  };
  add(/\bAS (\w+)/g);
  add(/\bCURSOR (\w+)/g);
  add(/\bCONSTRAINT (\w+)/g);
  add(/[(,]\s*(\w+) (?:NUMBER|VARCHAR2|CLOB|RAW)\b/g);
  add(/[(,]\s*(\w+) FOR ORDINALITY\b/g);
  add(/^ {2}(\w+) (?:VARCHAR2|RAW|NUMBER|TIMESTAMP|CLOB|EXCEPTION)\b/gm);
  add(/\bFOR (\w+) IN\b/g);
  add(/\) (\w+)\b/g);
  add(/\b(?:FROM|JOIN|UPDATE) (?:jobs\.)?\w+ (\w+)/g);
  for (const [, name, columns] of text.matchAll(/(?:\bWITH|\),) (\w+) (?:\(([^()]*)\) )?AS \(/g)) {
    for (const one of [name, ...items(columns ?? '')]) names.add(one);
  }
  return names;
}

// Words that are nothing. A grammar takes them for names, or for aliases.
function* wrongWords(text, { tables, indexes }, keywords) {
  const known = new Set([...tables.keys(), ...indexes, ...madeNames(text)]);
  for (const columns of tables.values()) for (const column of columns) known.add(column);
  for (const word of new Set(text.replace(/\/\*.*?\*\//gs, '').match(/(?<![\w:%])[A-Za-z]\w*/g) ?? [])) {
    if (!(/[a-z]/.test(word) ? known : keywords).has(word) && !others.has(word)) yield `nothing is named ${word}`;
  }
}
function* wrongTables(text, { tables }) {
  for (const [, table] of text.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO) jobs\.(\w+)/g)) {
    if (!tables.has(table)) yield `there is no table ${table}`;
  }
  for (const [, table] of text.matchAll(/\b(?:FROM|JOIN|UPDATE|INSERT INTO) (tq_\w+)/g)) {
    if (!tables.has(table)) yield `there is no table ${table}`;
  }
}

function* missing(columns, table, { tables }) {
  for (const column of columns) {
    if (!tables.get(table)?.has(column)) yield `${table} has no column ${column}`;
  }
}

// Columns of indexes; tables and columns of grants.
function* wrongDefinitions(text, schema) {
  for (const [, table, columns] of text.matchAll(/\bINDEX (?:jobs\.)?\w+ ON (?:jobs\.)?(\w+) \(([^)]*)\)/g)) {
    yield* missing(items(columns), table, schema);
  }
  for (const [, grant] of text.matchAll(/^GRANT ([^;]*);/gm)) {
    const found = grant.match(/^([^]*) ON jobs\.(\w+) TO [\w, ]+$/);
    if (!found || !schema.tables.has(found[2])) {
      yield `GRANT ${grant} is on none of the tables`;
      continue;
    }
    for (const right of items(found[1])) {
      const [, kind, columns] = right.match(/^(\w+)(?: \(([^)]*)\))?$/) ?? [];
      if (!['SELECT', 'INSERT', 'UPDATE', 'DELETE'].includes(kind)) yield `${right} is no right`;
      if (columns) yield* missing(items(columns), found[2], schema);
    }
  }
}

// A function that gives what is wrong in a statement, by the tables that a migration makes.
export function namesOf(migration, keywords) {
  const schema = readSchema(migration);
  return (statement) => {
    const text = blanked(statement);
    const wrong = [...wrongColumns(text, schema), ...wrongInserts(text, schema),
      ...wrongVariables(text), ...wrongCounts(text),
      ...wrongWords(text, schema, keywords), ...wrongTables(text, schema), ...wrongDefinitions(text, schema)];
    for (const [, index] of text.matchAll(/INDEX\(\w+ (\w+)\)/g)) {
      if (!schema.indexes.has(index)) wrong.push(`there is no index ${index}`);
    }
    if (/,\s*(?:,|\)|FROM\b|INTO\b)/.test(text)) wrong.push('nothing stands behind a comma');
    return wrong;
  };
}
