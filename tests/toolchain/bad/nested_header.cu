#include "nested_header.cuh"
int main() { parent<<<1, 1>>>(nullptr); }
