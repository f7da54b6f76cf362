// SPDX-License-Identifier: Apache-2.0
/// What an observer sees of a runtime from second to second.
///
/// | enters | leaves |
/// |---|---|
/// | an observer, by `Attachable.watch()`, on its session's thread | rows of text, to its pipe |
/// | counters of the host, and racy reads of its processes | nothing |
/// | runs of workers, as `WorkObserver`, while there are accounts | nothing |
///
/// Threads: that of the session, which calls no worker and no process; `WorkerAccounts` says what
/// workers do. Read `RuntimeFeed`.
package dev.heddle.process.feed;
