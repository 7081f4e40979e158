// verdict: silent
// flags: -g0 -s
// What is trusted is so without the debug information that the program does not want.
#include "waiting.cpp"
