/* address.h - which state space a pointer points into, and addresses of one state space. */
#ifndef LOCKSTEP_ADDRESS_H
#define LOCKSTEP_ADDRESS_H

#define LS_DEVICE static __device__ __inline__ __attribute__((always_inline))

/* Pure, so that they may stand in __builtin_assume(). */
LS_DEVICE __attribute__((const)) unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
LS_DEVICE __attribute__((const)) unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
LS_DEVICE __attribute__((const)) unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
LS_DEVICE __attribute__((const)) unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

/* The window of shared memory is addressed with 32 bits, the others with 64. */
LS_DEVICE size_t __cvta_generic_to_global(const void *p)
{
    return (size_t)(const void __attribute__((address_space(1))) *)p;
}
LS_DEVICE size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)(const void __attribute__((address_space(3))) *)p;
}
LS_DEVICE size_t __cvta_generic_to_constant(const void *p)
{
    return (size_t)(const void __attribute__((address_space(4))) *)p;
}
LS_DEVICE size_t __cvta_generic_to_local(const void *p)
{
    return (size_t)(const void __attribute__((address_space(5))) *)p;
}
LS_DEVICE void *__cvta_global_to_generic(size_t a) { return (void *)(void __attribute__((address_space(1))) *)a; }
LS_DEVICE void *__cvta_shared_to_generic(size_t a) { return (void *)(void __attribute__((address_space(3))) *)a; }
LS_DEVICE void *__cvta_constant_to_generic(size_t a) { return (void *)(void __attribute__((address_space(4))) *)a; }
LS_DEVICE void *__cvta_local_to_generic(size_t a) { return (void *)(void __attribute__((address_space(5))) *)a; }

#undef LS_DEVICE

#endif
