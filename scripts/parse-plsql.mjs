// parse-plsql.mjs MODULES FILE...: parses SQL and PL/SQL under a grammar of Oracle's. The files are
//
//   - those of sql/oracle: statements with :names, with a line "-- step" between them
//   - dialects/tests/sent/oracle/: what an ODBC driver gets, with ? for each value, which it makes binds of,
//     each behind a line "-- bound: ..."
//   - scripts for SQL*Plus: roles.sql, and what `tq init --print` prints (sent/oracle/init.sql)
//
// What a block runs by EXECUTE IMMEDIATE is parsed as well, and names are looked up: tables, their
// columns, indexes, what is declared, every word. Then it breaks a copy of each file in several ways and
// sees to it that each is refused. MODULES is the folder node_modules that has the grammar.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { namesOf } from './plsql-names.mjs';

const [modules, ...files] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(modules, path)).href);
const antlr = await load('antlr4/dist/antlr4.node.mjs');
const grammar = '@griffithswaite/ts-plsql-parser/build/antlr/';
const Lexer = (await load(grammar + 'PlSqlLexer.js')).default;
const Parser = (await load(grammar + 'PlSqlParser.js')).default;

const root = fileURLToPath(new URL('..', import.meta.url));
const keywords = new Set(Lexer.literalNames.filter((name) => name).map((name) => name.slice(1, -1)));
const wrongNames = namesOf(root + 'sql/oracle/migrations/0001_tables.sql', keywords);

class Refused extends Error {}

function lookUp(statement) {
  const wrong = wrongNames(statement);
  if (wrong.length > 0) throw new Refused(wrong.join('; '));
}

const listener = {
  syntaxError(_recognizer, _symbol, line, column, message) {
    throw new Refused(`line ${line}, column ${column + 1}: ${message.slice(0, 120)}`);
  },
  reportAmbiguity() {},
  reportAttemptingFullContext() {},
  reportContextSensitivity() {},
};

// A parser of `text`. The first error ends it. The grammar has no ambiguity that matters here, so the
// faster of its two ways of prediction does.
function parserOf(text) {
  const lexer = new Lexer(new antlr.CharStream(text));
  lexer.removeErrorListeners();
  lexer.addErrorListener(listener);
  const parser = new Parser(new antlr.CommonTokenStream(lexer));
  parser.removeErrorListeners();
  parser.addErrorListener(listener);
  parser.buildParseTrees = false;
  parser._interp.predictionMode = antlr.PredictionMode.SLL;
  return parser;
}

function expectEnd(parser, what) {
  const rest = parser.getCurrentToken();
  if (rest.type !== antlr.Token.EOF) {
    throw new Refused(`line ${rest.line}: behind the ${what} stands ${rest.text}`);
  }
}

function parse(text) {
  const parser = parserOf(text);
  if (/^(DECLARE|BEGIN)\b/.test(text)) {
    parser.anonymous_block();
    if (parser.getCurrentToken().text !== ';') throw new Refused('a block ends with END;');
    parser.getTokenStream().consume();
    return expectEnd(parser, 'block');
  }
  if (/^(SELECT|WITH)\b/.test(text)) parser.select_statement();
  else parser.unit_statement();
  expectEnd(parser, 'statement');
}

// Replaces what `pattern` matches outside of strings.
const outsideStrings = (text, pattern, by) =>
  text.replace(new RegExp(`'(?:[^']|'')*'|${pattern}`, 'g'), (all, ...groups) =>
    all.startsWith("'") ? all : by(all, ...groups));

const withoutComments = (text) => outsideStrings(text, '--[^\\n]*', () => '').trim();

const script = (file) => /(roles|init)\.sql$/.test(file.name);

function steps(file) {
  const text = file.text.replaceAll('{schema}', 'jobs.');
  if (script(file)) return [withoutComments(text)].filter((one) => one !== '');
  return text.split(/^-- (?:step|bound:.*)$/m).map(withoutComments).filter((step) => step !== '');
}

// An ODBC driver numbers what is bound.
function asBinds(step) {
  let number = 0;
  return outsideStrings(step, '\\?', () => `:${++number}`);
}

const immediate = /EXECUTE IMMEDIATE\s*'((?:[^']|'')*)';/g;

function parseScript(text) {
  const parser = parserOf(text);
  parser.sql_script();
  expectEnd(parser, 'script');
}

function check(file) {
  for (const step of steps(file)) {
    if (script(file) && /^END;(?!\n\/$)/m.test(step)) throw new Refused('no / stands behind a block');
    if (!file.grammarAlone) lookUp(asBinds(step));
    const run = [...step.matchAll(immediate)].map((found) => found[1].replaceAll("''", "'").trim());
    if (!file.grammarAlone) run.forEach(lookUp);
    if (script(file)) parseScript(step + '\n');
    else parse(asBinds(step));
    run.forEach(parse);
  }
}

function refusal(file) {
  try {
    check(file);
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
  return '';
}

// Copies with one thing taken out, none of which is SQL any more.
function brokenCopies(file) {
  const code = steps(file).join('\n-- step\n');
  // Of the same length, with blanks for what the grammar passes over.
  const seen = code.replace(/\/\*.*?\*\/|'(?:[^']|'')*'/gs, (all) => ' '.repeat(all.length));
  const copies = [];
  const without = (what, at, length) => {
    if (at < 0) return;
    const text = code.slice(0, at) + code.slice(at + length);
    copies.push({ ...file, what: `without ${what}`, text, grammarAlone: true });
  };
  without('its first )', seen.indexOf(')'), 1);
  without('its last )', seen.lastIndexOf(')'), 1);
  without('its last END', seen.lastIndexOf('END;'), 3);
  without('its first THEN', seen.search(/\bTHEN\b/), 4);
  without('its first =', seen.indexOf(' = ') + 1 || -1, 1);
  without('its first SELECT', seen.search(/\bSELECT\b/), 6);
  const instead = (what, pattern, by) => {
    const text = code.replace(pattern, by);
    if (text !== code) copies.push({ ...file, what, text });
  };
  instead('with a column that is not there', /\bj\.job_id\b/, 'j.jobid');
  instead('with an index that is not there', /INDEX\((\w) \w+\)/, 'INDEX($1 tq_job_none)');
  instead('with an undeclared variable', /(?<!INSERT )\bINTO (given_jobs|moment|held)\b/, 'INTO nobody');
  instead('with a column too few', /(INSERT INTO [\w.]+ \()\w+, /, '$1');
  instead('with a table that is not there', /\b(FROM|JOIN|UPDATE|INTO) (jobs\.)?tq_\w+/, '$1 $2tq_none');
  instead('with a word that is not there', /\b(DUAL|COUNT|COALESCE|SYSTIMESTAMP|SQLCODE)\b/, 'X$1');
  instead('with an indexed column that is not there', /(\bINDEX \S+ ON \S+ \()\w+/, '$1nothing');
  instead('with a granted column that is not there', /^(GRANT [^;(]*\()\w+/m, '$1nothing');
  instead('with a granted table that is not there', /^(GRANT [^;]* ON jobs\.)\w+/m, '$1nothing');
  if (script(file)) instead('without a / behind a block', /^END;\n\//m, 'END;');
  const text = code.search(immediate);
  if (text >= 0) without('a ) of what it runs', code.indexOf(')', text), 1);
  return copies;
}

let bad = 0;
let statements = 0;
let refused = 0;
for (const name of files) {
  const file = { name, text: readFileSync(name, 'utf8') };
  const count = steps(file).length;
  statements += count;
  const message = refusal(file);
  if (message) {
    console.log(`${name}: ${message}`);
    bad = 1;
    continue;
  }
  const broken = brokenCopies(file);
  if (count > 0 && broken.length === 0) {
    console.log(`${name}: there is nothing in it to break, so nothing shows that it is checked`);
    bad = 1;
  }
  for (const copy of broken) {
    refused += 1;
    if (refusal(copy)) continue;
    console.log(`${name}: a copy was accepted ${copy.what}`);
    bad = 1;
  }
}
console.log(`${files.length} files, ${statements} statements, ${refused} broken copies refused`);
process.exit(bad);
