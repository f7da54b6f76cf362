// SPDX-License-Identifier: Apache-2.0
/// The programs of Fray's integration tests, by their names: 25 that fail and 52 that pass.
///
/// | enters | leaves |
/// |---|---|
/// | - | the tables [FrayFailing] and [FrayPassing], to `FrayProgramsTest` |
///
/// Written anew from what each tests; one class for each subject. Where Fray's program goes on
/// after its main thread, the run joins its threads. Where Fray's program calls a host of the
/// internet, a server of the program answers here.
///
/// Source: the list of files of `integration-test` of cmu-pasta/fray. Read [FrayFailing] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulated.fray;
