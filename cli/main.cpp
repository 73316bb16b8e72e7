#include "cli/app.h"

int main(int argc, char** argv) { return tapedeck::cli::run(argc, argv); }
