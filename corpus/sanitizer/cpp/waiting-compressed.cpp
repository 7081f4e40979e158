// verdict: silent
// flags: -gz=zlib
// Options that say how debug information is written do not keep it from being there, and it is read in every form.
#include "waiting.cpp"
