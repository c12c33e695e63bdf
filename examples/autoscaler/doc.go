// Package autoscaler is what a fork of cluster-autoscaler needs beside the scheduler plugin, each as a pure function that the
// fork calls in a few lines (README.md says where):
//
//   - [Groups.NodeReady]: a node that has joined and not registered its devices yet is not ready, so that the autoscaler waits
//     for it instead of growing the group again;
//   - [Groups.Template], [Groups.Upcoming]: nodes of a group that has none, and nodes that are on their way, with the devices
//     they will have;
//   - [EquivalenceKey]: pods that ask for different devices are not tried as one;
//   - [Demand]: the order in which pods are best packed;
//   - [SchedulerConfig]: the configuration of the scheduler framework inside the autoscaler, with the plugin.
//
// Package remote is for forks that ask extenders over HTTP instead of compiling the plugin in.
//
// Nothing here keeps state, reads a clock or talks to a server; all functions may be called from any number of goroutines.
package autoscaler
