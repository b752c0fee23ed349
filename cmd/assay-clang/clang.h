// What serve.cpp uses of clang.cpp, and the other way round.
#pragma once

// compile does what the arguments of clang say, and ends the process.
[[noreturn]] void compile(int argc, char **argv);

// rehearse compiles nothing: what the first compilation of a process has to set up is there then.
void rehearse();

// serve becomes the command, for which a child of this process compiles that listens at the socket.
[[noreturn]] void serve(const char *socket, char **command);
