// Package nimbus is the device model of Nimbus NPUs, whose vendor is made up: a model that lives outside accelfit, to be copied.
// docs/writing-a-backend.md writes it step by step.
//
// NPU i of a node is in seat i mod 8 of board i div 8. The NPUs of a board are wired to a ring: the last seat is next to the first.
//
// A container asks for NPUs (nimbus.example/npu, at most 8), for memory of each (nimbus.example/npu-memory, MiB; none: all of it) and
// for cores of each (nimbus.example/npu-cores, percent; none: what others leave). Several NPUs are a run of neighbours on one board.
// An NPU serves as many containers at a time as it registers slots. What is given out of its memory and cores is not given out
// again; a request for all cores wants it idle. A pod may name the ids of NPUs (nimbus.example/use-npu, nimbus.example/nouse-npu)
// and their mode (nimbus.example/npu-mode): shared or exclusive, which is registered with one slot.
//
// Not modelled: NUMA binding, because a board is on one NUMA node, and cordons.
package nimbus
