/* sm_70_rt.hpp - a header that clang's __clang_cuda_intrinsics.h includes; what a toolkit has there is in
 * lockstep/warp.h. */
