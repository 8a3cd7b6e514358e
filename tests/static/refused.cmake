# A program that must be refused, for the right reason: it compiles with -DACCEPTED (so a typo cannot hide), does not
# compile without, and the compiler says one of the words behind "// refused:" in the source. With a line "// first:",
# its words must be in the first line that says "error:".
#     cmake -DSOURCE=<file> -DCOMPILER=<path> -DFLAGS=<list> -P refused.cmake
file(STRINGS ${SOURCE} words REGEX "^// refused: ")
string(REGEX REPLACE "^// refused: " "" words "${words}")
if(NOT words)
  message(FATAL_ERROR "${SOURCE} has no line '// refused: <words of the compiler>'")
endif()
set(compile ${COMPILER} ${FLAGS} -fsyntax-only ${SOURCE})

execute_process(COMMAND ${compile} -DACCEPTED RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the accepted variant does not compile:\n${said}")
endif()
execute_process(COMMAND ${compile} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(code EQUAL 0)
  message(FATAL_ERROR "compiles, and must not")
elseif(NOT said MATCHES "${words}")
  message(FATAL_ERROR "refused, but not for the expected reason '${words}':\n${said}")
endif()
file(STRINGS ${SOURCE} first REGEX "^// first: ")
if(first)
  string(REGEX REPLACE "^// first: " "" first "${first}")
  string(REGEX MATCH "error:[^\n]*" error "${said}")
  if(NOT error MATCHES "${first}")
    message(FATAL_ERROR "the first error is '${error}', expected '${first}'")
  endif()
endif()
