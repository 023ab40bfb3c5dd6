/* host_config.h - which compiler this is, by the names that nvcc gives. */
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88

#endif
