# A stub of BenchExec for the tests of contrib/benchexec: what a tool-info module uses of it, written from its
# documentation. Where the real one is installed, the tests use that.
