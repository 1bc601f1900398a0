# The warnings that every target of ours is built with.
function(tq_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(TQ_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
