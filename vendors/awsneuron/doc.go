// Package awsneuron is the device model of AWS Neuron devices: Inferentia and Trainium.
//
// A device has k cores. k is what a node's own capacities say: aws.amazon.com/neuroncore divided by aws.amazon.com/neuron, 2
// on Inferentia2 and Trainium1, 4 on Inferentia1, at most 31. Cores of a device, of usage and of grants are bit masks: bit b is
// core b, a whole device of two cores is 3. Quotas count cores. There is no memory. The slots of a device are its cores.
//
// A container asks for whole devices (aws.amazon.com/neuron) or for cores of all devices together (aws.amazon.com/neuroncore);
// next to devices, cores are not read. Cores up to k are cores of one device, a multiple of k is that many whole devices, and a
// node on which the number is neither is refused. Several devices are neighbours: any run on Inferentia; 4, 8 or 16 beginning
// at a multiple of that number elsewhere. Instance types that contain inf or Inf (node label
// node.kubernetes.io/instance-type) count as Inferentia.
//
// A request knows no node. Its Nums and Cores are what it makes with k = 2, and CoresInAll holds the cores asked for, so that
// each node can decide anew; CoresInAll is 0 where whole devices are asked for, which take all cores of a device whatever
// their number. Up to 31 cores any number is accepted, because some device may have as many; above, it must be even
// (deviation nD1).
//
// Admission charges quotas with the cores of k = 2, which may differ from the node's; the fit checks what is really taken.
//
// The annotation AWS_NEURON_IDS is one list for the whole pod: a pod with containers that ask for devices and others that ask
// for cores gets device and core numbers in one list.
//
// The rules are those of spec awsneuron; nDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package awsneuron
