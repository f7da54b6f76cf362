// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.event.source.InlineCallback;
import dev.heddle.scheduler.Scheduler;
import java.util.HashSet;
import java.util.Set;

/// The threads beside one loop; they end with it. Each kind of call has a quota of its own: what
/// hangs in one does not starve another.
public final class LoopThreads {
  private static final int FILES = 32; // as many as a disk's queue has use for

  private final Scheduler scheduler;
  private final OffloadPool offload;
  private final OffloadPool lookups;
  private final OffloadPool paths;
  private final OffloadPool locks;
  private final String loopName;
  private final FileThreads files;
  private final TransferBuffers buffers = new TransferBuffers();

  // loop only
  private final Set<WorkerThreads> groups = new HashSet<>();
  private final Set<FileThreads> allFiles = new HashSet<>();

  /// None yet.
  ///
  /// @param offloaded how many calls may run at once that would hold the loop
  public LoopThreads(Scheduler scheduler, String loopName, int offloaded) {
    this.scheduler = scheduler;
    this.offload = pool(loopName + "-offload", offloaded, true);
    this.lookups = pool(loopName + "-lookup", OffloadPool.LOOKUPS, true);
    this.paths = pool(loopName + "-path", OffloadPool.PATHS, false);
    this.locks = pool(loopName + "-lock", OffloadPool.LOCKS, false);
    this.loopName = loopName;
    this.files = files("file", FILES, ThreadFile::open);
  }

  private OffloadPool pool(String name, int most, boolean interrupts) {
    return new OffloadPool(scheduler, open(name, most, () -> {}), interrupts);
  }

  /// For calls that would hold the loop.
  public OffloadPool offload() {
    return offload;
  }

  /// For look-ups of host names.
  public OffloadPool lookups() {
    return lookups;
  }

  /// For calls on paths: a listing, a move, a small file as a whole. One that has begun ends, also
  /// when its caller has left.
  public OffloadPool paths() {
    return paths;
  }

  /// For locks of files. Else as [#paths()].
  public OffloadPool locks() {
    return locks;
  }

  /// For reading and writing files, when the loop's driver does not.
  public FileThreads files() {
    return files;
  }

  /// Threads of their own for something that may block for ever; they end with the loop at the
  /// latest.
  ///
  /// @param kind names the threads
  /// @param most how many there are at any time
  /// @param opener opens what they serve
  public FileThreads files(String kind, int most, BlockingFile.Opener opener) {
    WorkerThreads group = open(loopName + "-" + kind, most, () -> {});
    FileThreads own = new FileThreads(scheduler, group, opener);
    allFiles.add(own);
    InlineCallback forget = (event, result, error) -> allFiles.remove(own);
    group.gone().subscribe(forget);
    return own;
  }

  /// What is read into and written from beside the loop.
  public TransferBuffers buffers() {
    return buffers;
  }

  /// A group of threads, which ends with the loop at the latest.
  ///
  /// @param name of the threads, before their number
  /// @param most how many there are at any time
  /// @param whenEnded called on the loop, in a tick, when a call has ended; lock-free
  public WorkerThreads open(String name, int most, Runnable whenEnded) {
    WorkerThreads group = new WorkerThreads(scheduler, name, most, whenEnded);
    groups.add(group);
    InlineCallback forget = (event, result, error) -> groups.remove(group);
    group.gone().subscribe(forget);
    return group;
  }

  /// The loop has ended: drops what is queued, interrupts what runs, lets all threads go.
  public void close() {
    groups.forEach(WorkerThreads::close);
    allFiles.forEach(FileThreads::close);
  }
}
