#include "cluster_dims_header.cuh"
int main() { k<<<2, 1>>>(); }
