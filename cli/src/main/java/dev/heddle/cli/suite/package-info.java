// SPDX-License-Identifier: Apache-2.0

/// A run of the project's tests as a person follows it: the output of Maven and Surefire in a few
/// lines.
///
/// | enters | leaves |
/// |---|---|
/// | Maven's output, line by line | the log file, the state of each module, and what stopped one |
/// | Surefire's reports, one XML file a test class | counts, failures, skipped tests |
/// | a terminal, or a pipe | a line per module, the failures, the last line |
///
/// Threads: the main thread reads reports and draws; one thread copies Maven's output into the log
/// and the [BuildLog]; a shutdown hook ends an interrupted run. Read `SuiteRun` first.
package dev.heddle.cli.suite;
