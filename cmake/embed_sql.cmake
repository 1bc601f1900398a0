# tq_embed_sql(TARGET NAME): compiles the files of sql/NAME into TARGET as
# std::vector<tq::SqlFile> tq::embedded::NAME(). But for roles.sql, which is for people.
set(TQ_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_sql_script.cmake)
function(tq_embed_sql target name)
  set(folder ${PROJECT_SOURCE_DIR}/sql/${name})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.sql)
  list(REMOVE_ITEM files roles.sql)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  list(TRANSFORM files PREPEND ${folder}/ OUTPUT_VARIABLE inputs)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D FOLDER=${folder} -D OUTPUT=${output} "-DFILES=${files}"
            -P ${TQ_EMBED_SCRIPT}
    DEPENDS ${inputs} ${TQ_EMBED_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
