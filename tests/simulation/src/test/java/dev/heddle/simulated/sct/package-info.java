// SPDX-License-Identifier: Apache-2.0
/// SCTBench's programs, by the names of their Java port in Fray's benchmark.
///
/// | enters | leaves |
/// |---|---|
/// | - | the table [SctBench], to `SctBenchTest` |
///
/// Written anew from what each program does. The bugs are those of the originals: a check that
/// assumes an order, a lock too few, a lock of its own for each side, an order of locks. Where the
/// port detects a deadlock by hand and throws, the program here runs into the deadlock.
///
/// Sources: Thomson, Donaldson, Betts, "Concurrency testing using controlled schedulers", TOPC
/// 2016; the list `sctbench.txt` of cmu-pasta/fray-benchmark. Read [SctBench] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulated.sct;
