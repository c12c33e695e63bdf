// Package schedulerplugin is a plugin of the scheduling framework that decides about devices: for kube-scheduler, and for forks
// of cluster-autoscaler, which run the same framework on nodes and pods of their imagination.
//
// What is taken of a node is what this process has reserved, else what the annotations of its pods say, else a deterministic
// replay of the pods on it ([NodeUsage]): a pure function of the node the framework hands in. A host may therefore fork, revert
// and commit as it likes, and nothing has to be told to the plugin. States that were seen before are kept, in bounded memory, by
// the generation of the framework's node.
//
// PreFilter and Filter talk to nobody. Reserve books devices by the UID of the pod, PreBind writes them on the pod, and Unreserve
// takes back whatever the two did.
package schedulerplugin
