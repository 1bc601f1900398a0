# Writes OUTPUT: a C++ file with the text of FILES (relative to FOLDER) as raw strings.
set(code "#include \"embedded.hpp\"\n\nnamespace tq::embedded {\n\nstd::vector<SqlFile> ${NAME}() {\n  return {\n")
foreach(file IN LISTS FILES)
  file(READ ${FOLDER}/${file} text)
  string(APPEND code "      {\"${file}\", R\"tq-sql(${text})tq-sql\"},\n")
endforeach()
string(APPEND code "  };\n}\n\n}  // namespace tq::embedded\n")
file(WRITE ${OUTPUT} "${code}")
