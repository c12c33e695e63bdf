// Package enflame is the device model of Enflame GCUs: whole cards ([GCU]) and cards with hard partitions, called DRS or vGCU
// ([DRS]).
//
// Whole cards are exclusive: a container asks for a number of them (enflame.com/gcu).
//
// A DRS card offers a number of slices. A container gets one instance of one profile of the node, such as 3g.20gb: 3 slices and 20
// GB. It asks for a number of slices (enflame.com/drs-gcu), or else for memory (enflame.com/gcu-memory: GB, or MiB where that is
// more than twice the largest profile) and percent of a card (enflame.com/gcu-core), and gets the smallest profile that has both.
// The profile is settled for each node before a card is looked at. Inside, memory is MiB; a slot of a card is a slice, and cores
// are percent, rounded up, which are recorded and never checked.
//
// The annotations enflame.com/shared-gcu and enflame.com/gcu-count, which HAMi declares, are not used there, nor here. Lists of device
// ids have no effect on whole cards. A node with both resources offers the same card twice.
//
// The rules are those of spec enflame; eDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package enflame
