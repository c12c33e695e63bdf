// Package ascend is the device model of Ascend NPUs, one model for each chip that is configured. The vendor word of a model is
// the chip's, for example Ascend910B3; <w> stands for it below.
//
// A container asks for NPUs (huawei.com/<w>) and for memory of each (huawei.com/<w>-memory, MiB; none: the whole NPU). An NPU is
// shared in one of two ways, which the pod names:
//
//   - hard split, the usual one: the chip is cut by templates. Admission rounds memory up to the smallest template that has
//     it; cores cannot be asked for, and the AI cores of templates are not counted. Several NPUs are whole NPUs.
//   - soft split (pod annotation huawei.com/vnpu-mode: hami-core): any amount of memory, and cores (huawei.com/<w>-core) in
//     percent of an NPU. Only nodes that say so (hami-vnpu-core: "true"), or all by configuration, can do it.
//
// An NPU registers its AI cores, 20 for an Ascend910B3. What soft-split pods book in percent is counted on the same counter,
// so hard-split pods are refused once it reaches the number of AI cores.
//
// Several NPUs of the 910 family come from as few network groups as possible (custominfo.NetworkID of the registration), where
// every NPU of the node names its group. Several NPUs of an Ascend910C come as whole modules of two.
//
// Not modelled: what happens inside a container, and the AI CPUs.
//
// The rules are those of spec ascend; An and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package ascend
