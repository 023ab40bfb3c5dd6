/* nvToolsExt.h - NVTX, the annotation of programs for NVIDIA's timelines. With no tool attached its functions do
 * nothing, as NVIDIA's own do then; they are inline, so that there is no library to link. */
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define LS_NVTX static inline __attribute__((unused))

/* Depth and ids are what NVIDIA's functions return when no tool listens. */
LS_NVTX int nvtxRangePushA(const char *message) { return (void)message, NVTX_NO_PUSH_POP_TRACKING; }
LS_NVTX int nvtxRangePushW(const wchar_t *message) { return (void)message, NVTX_NO_PUSH_POP_TRACKING; }
LS_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t *e) { return (void)e, NVTX_NO_PUSH_POP_TRACKING; }
LS_NVTX int nvtxRangePop(void) { return NVTX_NO_PUSH_POP_TRACKING; }
LS_NVTX nvtxRangeId_t nvtxRangeStartA(const char *message) { return (void)message, 0; }
LS_NVTX nvtxRangeId_t nvtxRangeStartW(const wchar_t *message) { return (void)message, 0; }
LS_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *e) { return (void)e, 0; }
LS_NVTX void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
LS_NVTX void nvtxMarkA(const char *message) { (void)message; }
LS_NVTX void nvtxMarkW(const wchar_t *message) { (void)message; }
LS_NVTX void nvtxMarkEx(const nvtxEventAttributes_t *e) { (void)e; }
LS_NVTX void nvtxNameOsThreadA(uint32_t thread, const char *name) { (void)thread, (void)name; }
LS_NVTX void nvtxNameCategoryA(uint32_t category, const char *name) { (void)category, (void)name; }
LS_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char *name) { return (void)name, (nvtxDomainHandle_t)0; }
LS_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
LS_NVTX nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *string)
{
    return (void)domain, (void)string, (nvtxStringHandle_t)0;
}
LS_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *e)
{
    return (void)domain, (void)e, NVTX_NO_PUSH_POP_TRACKING;
}
LS_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return (void)domain, NVTX_NO_PUSH_POP_TRACKING; }
LS_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *e) { (void)domain, (void)e; }

#undef LS_NVTX

#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA

#ifdef __cplusplus
}
#endif

#endif
