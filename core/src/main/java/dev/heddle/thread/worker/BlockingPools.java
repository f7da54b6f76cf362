// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.event.source.InlineCallback;
import dev.heddle.scheduler.Scheduler;
import java.util.HashSet;
import java.util.Set;

/// The worker threads of one loop; they end with it. Each kind of call has a limit of its own, so
/// calls of one kind that hang do not starve another.
public final class BlockingPools {
  private static final int FILES = 32; // about the useful depth of a disk's queue

  private final Scheduler scheduler;
  private final OffloadPool offload;
  private final OffloadPool lookups;
  private final OffloadPool paths;
  private final OffloadPool locks;
  private final String loopName;
  private final BlockingFileDriver files;
  private final TransferBuffers buffers = new TransferBuffers();

  // loop only
  private final Set<WorkerThreads> groups = new HashSet<>();
  private final Set<BlockingFileDriver> allFiles = new HashSet<>();

  /// No threads yet.
  ///
  /// @param offloaded the most offloaded calls that run at once
  public BlockingPools(Scheduler scheduler, String loopName, int offloaded) {
    this.scheduler = scheduler;
    this.offload = pool(loopName + "-offload", offloaded, true);
    this.lookups = pool(loopName + "-lookup", OffloadPool.LOOKUPS, true);
    this.paths = pool(loopName + "-path", OffloadPool.PATHS, false);
    this.locks = pool(loopName + "-lock", OffloadPool.LOCKS, false);
    this.loopName = loopName;
    this.files = files("file", FILES, ChannelFile::open);
  }

  private OffloadPool pool(String name, int most, boolean interrupts) {
    return new OffloadPool(scheduler, open(name, most, () -> {}), interrupts);
  }

  /// For calls that would otherwise hold the loop.
  public OffloadPool offload() {
    return offload;
  }

  public OffloadPool lookups() {
    return lookups;
  }

  /// For calls on paths: a listing, a move, a whole small file. A call that has begun runs to its
  /// end, even if its caller no longer waits.
  public OffloadPool paths() {
    return paths;
  }

  /// For file locks. Otherwise as [#paths()].
  public OffloadPool locks() {
    return locks;
  }

  /// For reading and writing files, where the loop's driver does not.
  public BlockingFileDriver files() {
    return files;
  }

  /// Separate threads for calls that may block for ever; they end with the loop at the latest.
  ///
  /// @param kind part of the threads' names
  public BlockingFileDriver files(String kind, int most, BlockingFile.Opener opener) {
    WorkerThreads group = open(loopName + "-" + kind, most, () -> {});
    BlockingFileDriver own = new BlockingFileDriver(scheduler, group, opener);
    allFiles.add(own);
    InlineCallback forget = (event, result, error) -> allFiles.remove(own);
    group.gone().subscribe(forget);
    return own;
  }

  public TransferBuffers buffers() {
    return buffers;
  }

  /// A group of threads, which ends with the loop at the latest; its parameters are those of
  /// [WorkerThreads].
  public WorkerThreads open(String name, int most, Runnable whenEnded) {
    return added(new WorkerThreads(scheduler, name, most, whenEnded));
  }

  /// A group of threads with a body. Else as [#open(String, int, Runnable)].
  public WorkerThreads open(
      String name, int most, WorkerBody body, long stackSize, Runnable whenEnded) {
    return added(new WorkerThreads(scheduler, name, most, body, stackSize, whenEnded));
  }

  private WorkerThreads added(WorkerThreads group) {
    groups.add(group);
    InlineCallback forget = (event, result, error) -> groups.remove(group);
    group.gone().subscribe(forget);
    return group;
  }

  /// The loop has ended: drops the queued calls, interrupts the running ones, ends all threads.
  public void close() {
    groups.forEach(WorkerThreads::close);
    allFiles.forEach(BlockingFileDriver::close);
  }
}
