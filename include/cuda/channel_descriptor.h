/* channel_descriptor.h - cudaCreateChannelDesc<T>(): the format of an array's elements from their type. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"
#include "vector_types.h"

#ifdef __cplusplus

/* A type that is no element has no format. */
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define LS_CHANNEL(T, bytes, n, kind)                                                                                  \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>(void)                                            \
    {                                                                                                                  \
        return cudaCreateChannelDesc((bytes) * 8, (n) > 1 ? (bytes) * 8 : 0, (n) > 2 ? (bytes) * 8 : 0,                \
                                     (n) > 3 ? (bytes) * 8 : 0, cudaChannelFormatKind##kind);                          \
    }
#define LS_CHANNELS(T, name, kind)                                                                                     \
    LS_CHANNEL(T, sizeof(T), 1, kind)                                                                                  \
    LS_CHANNEL(name##1, sizeof(T), 1, kind)                                                                            \
    LS_CHANNEL(name##2, sizeof(T), 2, kind)                                                                            \
    LS_CHANNEL(name##4, sizeof(T), 4, kind)
LS_CHANNELS(signed char, char, Signed)
LS_CHANNELS(unsigned char, uchar, Unsigned)
LS_CHANNELS(short, short, Signed)
LS_CHANNELS(unsigned short, ushort, Unsigned)
LS_CHANNELS(int, int, Signed)
LS_CHANNELS(unsigned int, uint, Unsigned)
LS_CHANNELS(float, float, Float)
LS_CHANNEL(char, 1, 1, Signed)

#undef LS_CHANNELS
#undef LS_CHANNEL

#endif

#endif
