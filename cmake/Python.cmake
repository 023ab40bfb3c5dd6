# The Python that makes files and runs tests. A version manager's `python3` is a script that looks for its interpreter at each
# start, and takes longer over it than most of our scripts do: they are given the interpreter itself.
find_program(LS_PYTHON_FOUND python3 REQUIRED)
execute_process(COMMAND ${LS_PYTHON_FOUND} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE LS_PYTHON
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
