/* cuda.h - the CUDA driver API (version 13.0): types, prototypes, and the names that programs write for the newest form
 * of each function. What Lockstep's driver only refuses is not declared.
 *
 * driver/ beside this file is the driver's own description of its interface. */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include "driver/cuda_abi.h"

#define CUDA_CB
#ifndef CUDAAPI
#define CUDAAPI
#endif

/* Names with and without per-thread default streams. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define LS_PTDS(name) name##_ptds
#define LS_PTSZ(name) name##_ptsz
#else
#define LS_PTDS(name) name
#define LS_PTSZ(name) name
#endif

#define cuGetProcAddress cuGetProcAddress_v2
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuCtxCreate cuCtxCreate_v4
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemAdvise cuMemAdvise_v2
#define cuMemPrefetchAsync LS_PTSZ(cuMemPrefetchAsync_v2)
#define cuMemcpyHtoD LS_PTDS(cuMemcpyHtoD_v2)
#define cuMemcpyDtoH LS_PTDS(cuMemcpyDtoH_v2)
#define cuMemcpyDtoD LS_PTDS(cuMemcpyDtoD_v2)
#define cuMemcpy2D LS_PTDS(cuMemcpy2D_v2)
#define cuMemcpy2DUnaligned LS_PTDS(cuMemcpy2DUnaligned_v2)
#define cuMemcpy3D LS_PTDS(cuMemcpy3D_v2)
#define cuMemcpyHtoDAsync LS_PTSZ(cuMemcpyHtoDAsync_v2)
#define cuMemcpyDtoHAsync LS_PTSZ(cuMemcpyDtoHAsync_v2)
#define cuMemcpyDtoDAsync LS_PTSZ(cuMemcpyDtoDAsync_v2)
#define cuMemcpy2DAsync LS_PTSZ(cuMemcpy2DAsync_v2)
#define cuMemcpy3DAsync LS_PTSZ(cuMemcpy3DAsync_v2)
#define cuMemcpyHtoA LS_PTDS(cuMemcpyHtoA_v2)
#define cuMemcpyAtoH LS_PTDS(cuMemcpyAtoH_v2)
#define cuMemcpyDtoA LS_PTDS(cuMemcpyDtoA_v2)
#define cuMemcpyAtoD LS_PTDS(cuMemcpyAtoD_v2)
#define cuMemcpyAtoA LS_PTDS(cuMemcpyAtoA_v2)
#define cuMemcpyHtoAAsync LS_PTSZ(cuMemcpyHtoAAsync_v2)
#define cuMemcpyAtoHAsync LS_PTSZ(cuMemcpyAtoHAsync_v2)
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuMemsetD8 LS_PTDS(cuMemsetD8_v2)
#define cuMemsetD16 LS_PTDS(cuMemsetD16_v2)
#define cuMemsetD32 LS_PTDS(cuMemsetD32_v2)
#define cuMemsetD2D8 LS_PTDS(cuMemsetD2D8_v2)
#define cuMemsetD2D16 LS_PTDS(cuMemsetD2D16_v2)
#define cuMemsetD2D32 LS_PTDS(cuMemsetD2D32_v2)
#define cuStreamDestroy cuStreamDestroy_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuEventElapsedTime cuEventElapsedTime_v2
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2
#define cuGraphInstantiate cuGraphInstantiateWithFlags
#define cuGraphExecUpdate cuGraphExecUpdate_v2
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
#define cuGraphGetEdges cuGraphGetEdges_v2
#define cuGraphNodeGetDependencies cuGraphNodeGetDependencies_v2
#define cuGraphNodeGetDependentNodes cuGraphNodeGetDependentNodes_v2
#define cuGraphAddDependencies cuGraphAddDependencies_v2
#define cuGraphRemoveDependencies cuGraphRemoveDependencies_v2
#define cuGraphAddNode cuGraphAddNode_v2
#define cuStreamBeginCapture LS_PTSZ(cuStreamBeginCapture_v2)
#define cuStreamWriteValue32 LS_PTSZ(cuStreamWriteValue32_v2)
#define cuStreamWaitValue32 LS_PTSZ(cuStreamWaitValue32_v2)
#define cuStreamWriteValue64 LS_PTSZ(cuStreamWriteValue64_v2)
#define cuStreamWaitValue64 LS_PTSZ(cuStreamWaitValue64_v2)
#define cuStreamBatchMemOp LS_PTSZ(cuStreamBatchMemOp_v2)
#define cuStreamGetCaptureInfo LS_PTSZ(cuStreamGetCaptureInfo_v3)
#define cuStreamUpdateCaptureDependencies LS_PTSZ(cuStreamUpdateCaptureDependencies_v2)

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define cuMemAllocAsync cuMemAllocAsync_ptsz
#define cuMemAllocFromPoolAsync cuMemAllocFromPoolAsync_ptsz
#define cuMemFreeAsync cuMemFreeAsync_ptsz
#define cuMemcpy cuMemcpy_ptds
#define cuMemcpyPeer cuMemcpyPeer_ptds
#define cuMemcpy3DPeer cuMemcpy3DPeer_ptds
#define cuMemcpyAsync cuMemcpyAsync_ptsz
#define cuMemcpyPeerAsync cuMemcpyPeerAsync_ptsz
#define cuMemcpy3DPeerAsync cuMemcpy3DPeerAsync_ptsz
#define cuMemsetD8Async cuMemsetD8Async_ptsz
#define cuMemsetD16Async cuMemsetD16Async_ptsz
#define cuMemsetD32Async cuMemsetD32Async_ptsz
#define cuMemsetD2D8Async cuMemsetD2D8Async_ptsz
#define cuMemsetD2D16Async cuMemsetD2D16Async_ptsz
#define cuMemsetD2D32Async cuMemsetD2D32Async_ptsz
#define cuStreamGetPriority cuStreamGetPriority_ptsz
#define cuStreamGetFlags cuStreamGetFlags_ptsz
#define cuStreamGetId cuStreamGetId_ptsz
#define cuStreamGetCtx cuStreamGetCtx_ptsz
#define cuStreamGetDevice cuStreamGetDevice_ptsz
#define cuStreamWaitEvent cuStreamWaitEvent_ptsz
#define cuStreamAddCallback cuStreamAddCallback_ptsz
#define cuStreamAttachMemAsync cuStreamAttachMemAsync_ptsz
#define cuStreamQuery cuStreamQuery_ptsz
#define cuStreamSynchronize cuStreamSynchronize_ptsz
#define cuStreamCopyAttributes cuStreamCopyAttributes_ptsz
#define cuStreamGetAttribute cuStreamGetAttribute_ptsz
#define cuStreamSetAttribute cuStreamSetAttribute_ptsz
#define cuStreamIsCapturing cuStreamIsCapturing_ptsz
#define cuEventRecord cuEventRecord_ptsz
#define cuEventRecordWithFlags cuEventRecordWithFlags_ptsz
#define cuLaunchKernel cuLaunchKernel_ptsz
#define cuLaunchKernelEx cuLaunchKernelEx_ptsz
#define cuLaunchCooperativeKernel cuLaunchCooperativeKernel_ptsz
#define cuLaunchHostFunc cuLaunchHostFunc_ptsz
#define cuMemPrefetchBatchAsync cuMemPrefetchBatchAsync_ptsz
#define cuMemDiscardBatchAsync cuMemDiscardBatchAsync_ptsz
#define cuMemDiscardAndPrefetchBatchAsync cuMemDiscardAndPrefetchBatchAsync_ptsz
#define cuStreamGetCtx_v2 cuStreamGetCtx_v2_ptsz
#define cuStreamEndCapture cuStreamEndCapture_ptsz
#define cuGraphInstantiateWithParams cuGraphInstantiateWithParams_ptsz
#define cuGraphUpload cuGraphUpload_ptsz
#define cuGraphLaunch cuGraphLaunch_ptsz
#define cuStreamBeginCaptureToGraph cuStreamBeginCaptureToGraph_ptsz
#endif

#endif
