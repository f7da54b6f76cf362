// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import dev.heddle.reactor.linux.LinuxCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A process that [PosixSpawn] has started and that only this class reaps.
///
/// **Thread** one at a time: the starting thread, then the carrier, then the thread that ends the
/// loop. Methods marked *any* may be called concurrently.
public final class SpawnedProcess {
  /*
   * States.
   *   RUNS   its exit is asked for, by the first that needs it  ENDED
   *   ENDED  it leads no group, or release()                    RELEASED: the system forgets it
   *
   * A process that leads no group is released as soon as it has ended. A leader stays a zombie
   * (WNOWAIT) until its group is no longer needed: only so long is the group's id reserved, so that
   * a signal reaches no other group. Native code of this process that waits for any child may reap
   * it earlier. So each signal to the group first checks that the zombie is still there, and is not
   * sent otherwise.
   *
   * Remaining race. Such code may reap it between that check and the signal, and the id may then
   * name another group: within a few microseconds, the system would have to allocate all other ids
   * first.
   *
   * Threads. A release and a signal take this object's lock, which is never held for longer than
   * one system call that does not wait.
   *
   * Rejected. Releasing it at once and checking before each signal whether the id is in use again:
   * it may be reused in between.
   */
  /// No descriptor: the stream is not a pipe.
  public static final int NONE = -1;

  /// The exit code if other code of this process has reaped it.
  private static final int UNKNOWN = 0; // as in the JDK

  private static final int KILL = 9;
  private static final long SET_SIZE = 0x5414; // TIOCSWINSZ

  private final int pid;
  private final ProcessHandle handle;
  private final boolean leads;
  private final boolean hasTerminal;

  // owned by this object until taken
  private final int[] own; // input, output, error, and the one that reports its end

  // written under the lock
  private volatile boolean ended;
  private volatile boolean released;
  private int code; // published by ended

  SpawnedProcess(int pid, ProcessHandle handle, int end, SpawnPlan plan, int[] streams) {
    this.pid = pid;
    this.handle = handle;
    this.leads = plan.group() != SpawnPlan.Group.INHERITED || plan.terminal() != null;
    this.hasTerminal = plan.terminal() != null;
    this.own = new int[] {streams[0], streams[1], streams[2], end};
  }

  public long pid() {
    return pid;
  }

  public ProcessHandle handle() {
    return handle;
  }

  public boolean leads() {
    return leads;
  }

  // ---- descriptors, each taken once ----

  /// A descriptor that is readable when it has ended.
  public int takeEnd() {
    return take(3);
  }

  /// This process's end of its standard input, or [#NONE].
  public int takeInput() {
    return take(0);
  }

  /// This process's end of its standard output, or [#NONE].
  public int takeOutput() {
    return take(1);
  }

  /// This process's end of its standard error, or [#NONE].
  public int takeError() {
    return take(2);
  }

  private int take(int which) {
    int taken = own[which];
    own[which] = NONE;
    return taken;
  }

  public void closeAll() {
    PosixSpawn.closeAll(own);
  }

  // ---- the end ----

  /// Checks whether it has ended, and stores how. Does not wait. **Thread** any.
  public boolean hasEnded() {
    return ended || ask(false);
  }

  /// Waits until it has ended, and [releases][#release()] it. **Thread** any.
  public void awaitEnd() {
    if (!ended) {
      ask(true);
    }
    release();
  }

  private boolean ask(boolean wait) {
    int how = SpawnCalls.end(pid, wait);
    if (how == SpawnCalls.RUNS) {
      return false;
    }
    ended(how);
    if (!leads) {
      release();
    }
    return true;
  }

  private synchronized void ended(int how) {
    released |= how == SpawnCalls.NOT_OURS; // its id may be reused
    if (!ended) { // otherwise another thread has asked, and may have released it
      code = how == SpawnCalls.NOT_OURS ? UNKNOWN : how;
      ended = true;
    }
  }

  /// Its exit code, in the JDK's encoding.
  public int code() {
    return code;
  }

  /// Reaps an ended process: its id, and that of its group, may then be reused. A process that
  /// leads no group is reaped when it ends. **Thread** any.
  public synchronized void release() {
    if (ended && !released) {
      released = true;
      SpawnCalls.reap(pid);
    }
  }

  /// Whether it leads a group that can be signalled. **Thread** any.
  public boolean holdsGroup() {
    return leads && !released;
  }

  // asking detects that other code has reaped it
  private synchronized boolean surelyHoldsGroup() {
    if (ended && !released) {
      released = SpawnCalls.end(pid, false) == SpawnCalls.NOT_OURS;
    }
    return holdsGroup();
  }

  public synchronized void kill() {
    if (!released) {
      SpawnCalls.kill(pid, KILL);
    }
  }

  /// Sends a signal to its group, if it [holds][#holdsGroup()] one and no other code of this
  /// process has reaped it. **Thread** any.
  ///
  /// @return 0, or the negated system error
  public synchronized int signalGroup(int signal) {
    return surelyHoldsGroup() ? SpawnCalls.kill(-pid, signal) : -SpawnCalls.ESRCH;
  }

  /// Whether its group has a running member. **Thread** a worker thread: it reads all processes, a
  /// hundred in a millisecond.
  public boolean hasLiveGroup() {
    return surelyHoldsGroup() && ProcessGroups.hasLiveMember(pid);
  }

  /// Reaps it on a thread of its own once it ends, which is soon: otherwise it would stay a zombie
  /// until this process ends.
  public void reapLater() {
    if (hasEnded()) {
      release();
      return;
    }
    try {
      Thread.ofPlatform().daemon().name("heddle-reaper-" + pid).start(this::awaitEnd);
    } catch (OutOfMemoryError _) {
      // safe: no thread is available, and a zombie holds nothing else
    }
  }

  // ---- terminal ----

  public boolean hasTerminal() {
    return hasTerminal;
  }

  /// Sets the size of a terminal.
  ///
  /// @param terminal descriptor of this process's side
  /// @return 0, or the negated system error
  public static int resize(int terminal, SpawnPlan.TerminalSize size) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment window = arena.allocate(ValueLayout.JAVA_SHORT, 4); // struct winsize
      window.setAtIndex(ValueLayout.JAVA_SHORT, 0, (short) size.rows());
      window.setAtIndex(ValueLayout.JAVA_SHORT, 1, (short) size.columns());
      return LinuxCalls.device(terminal, SET_SIZE, window);
    }
  }
}
