#include "managed_header.cuh"
int main() { return shared_by_all; }
