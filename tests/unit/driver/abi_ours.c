/* abi_ours.c - our declarations as facts. */
#include "abi.h"

#include "driver/cuda_abi.h"

const struct abi_fact abi_ours[] = {
#include "abi_facts.inc"
};
const unsigned abi_ours_count = sizeof(abi_ours) / sizeof(abi_ours[0]);
