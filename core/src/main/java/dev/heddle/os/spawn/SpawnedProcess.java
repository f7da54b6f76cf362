// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import dev.heddle.reactor.linux.LinuxCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A process that [PosixSpawn] has started: nobody but us asks the system how it has ended.
///
/// **Thread** one at a time: the one that starts it, then the loop's, then that of the loop's end.
/// What is said to be for any thread may be called beside.
public final class SpawnedProcess {
  /*
   * States.
   *   RUNS   its exit is asked for, by the first that needs it  ENDED
   *   ENDED  it leads no group, or release()                    RELEASED: the system forgets it
   *
   * A process that leads no group is released as soon as it has ended. A leader stays in the
   * system's table (WNOWAIT) until it is said that its group is not needed: only so long is the
   * group's number surely its own, and a signal to it reaches no other. Native code of this process
   * that waits for any child may take it out of the table before. So each signal to the group first
   * checks whether it is still there, and is not sent when it is not.
   *
   * A race that cannot be mended. Such code may take it between that check and the signal, and its
   * number may be another group's by then: a few microseconds, in which the system would have to
   * give away all other numbers first.
   *
   * Threads. A release and a signal take this object's lock, which is never held for longer than
   * one system call that does not wait.
   *
   * Rejected. To release it at once, and to ask before each signal whether the number is a
   * process's again: it may become one in between.
   */
  /// A stream that goes nowhere we know of.
  public static final int NONE = -1;

  /// How it has ended is not known: other code of this process has asked for it.
  private static final int UNKNOWN = 0; // as the JDK has it

  private static final int KILL = 9;
  private static final long SET_SIZE = 0x5414; // TIOCSWINSZ

  private final int pid;
  private final ProcessHandle handle;
  private final boolean leads;
  private final boolean hasTerminal;

  // whoever takes one has it
  private int end;
  private int input;
  private int output;
  private int error;

  // written under the lock
  private volatile boolean ended;
  private volatile boolean released;
  private int code; // published by ended

  SpawnedProcess(int pid, ProcessHandle handle, int end, SpawnPlan plan, int[] streams) {
    this.pid = pid;
    this.handle = handle;
    this.end = end;
    this.leads = plan.group() != SpawnPlan.Group.INHERITED || plan.terminal() != null;
    this.hasTerminal = plan.terminal() != null;
    this.input = streams[0];
    this.output = streams[1];
    this.error = streams[2];
  }

  /// Its number.
  public long pid() {
    return pid;
  }

  /// The same process, as the JDK sees it.
  public ProcessHandle handle() {
    return handle;
  }

  /// Whether it has a process group of its own, of its number.
  public boolean leads() {
    return leads;
  }

  // ---- its descriptors: to be taken once ----

  /// A number that is readable when it has ended.
  public int takeEnd() {
    int taken = end;
    end = NONE;
    return taken;
  }

  /// Our end of its standard input; [#NONE].
  public int takeInput() {
    int taken = input;
    input = NONE;
    return taken;
  }

  /// Our end of its standard output; [#NONE].
  public int takeOutput() {
    int taken = output;
    output = NONE;
    return taken;
  }

  /// Our end of its standard error; [#NONE].
  public int takeError() {
    int taken = error;
    error = NONE;
    return taken;
  }

  /// Gives back what nobody has taken.
  public void closeAll() {
    PosixSpawn.closeAll(takeEnd(), takeInput(), takeOutput(), takeError());
  }

  // ---- its end ----

  /// Asks how it has ended, if it has. Does not wait. **Thread** any.
  ///
  /// @return whether it has
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
    released |= how == SpawnCalls.NOT_OURS; // its number may be another's
    if (!ended) { // else another thread has asked, and may have released it before this one did
      code = how == SpawnCalls.NOT_OURS ? UNKNOWN : how;
      ended = true;
    }
  }

  /// How it has ended, as the JDK says it.
  public int code() {
    return code;
  }

  /// Lets the system forget one that has ended: its number, and that of its group, may then be
  /// another's. One that leads no group is forgotten when it has ended. **Thread** any.
  public synchronized void release() {
    if (ended && !released) {
      released = true;
      SpawnCalls.reap(pid);
    }
  }

  /// Whether it has a group that signals can be sent to. **Thread** any.
  public boolean holdsGroup() {
    return leads && !released;
  }

  // what others have taken out of the system's table is noticed by asking
  private synchronized boolean surelyHoldsGroup() {
    if (ended && !released) {
      released = SpawnCalls.end(pid, false) == SpawnCalls.NOT_OURS;
    }
    return holdsGroup();
  }

  /// Sends it SIGKILL, unless it has ended.
  public synchronized void kill() {
    if (!released) {
      SpawnCalls.kill(pid, KILL);
    }
  }

  /// Sends a signal to all of its group, if it [holds][#holdsGroup()] one, and no other code of
  /// this process has taken it out of the system's table. **Thread** any.
  ///
  /// @return 0, or the system's error, negative
  public synchronized int signalGroup(int signal) {
    return surelyHoldsGroup() ? SpawnCalls.kill(-pid, signal) : -SpawnCalls.ESRCH;
  }

  /// Whether somebody of its group is there that could still do something. **Thread** one beside
  /// the loop: it looks at all processes, a hundred in a millisecond.
  public boolean hasLiveGroup() {
    return surelyHoldsGroup() && ProcessGroups.hasLiveMember(pid);
  }

  /// Waits for its end on a thread of its own, for it is about to come: else it would stay in the
  /// system's table for as long as this process lives.
  public void reapLater() {
    if (hasEnded()) {
      release();
      return;
    }
    try {
      Thread.ofPlatform().daemon().name("heddle-reaper-" + pid).start(this::awaitEnd);
    } catch (OutOfMemoryError _) {
      // safe: there is no thread to be had, and a line in that table holds nothing else
    }
  }

  // ---- its terminal ----

  /// Whether it has one.
  public boolean hasTerminal() {
    return hasTerminal;
  }

  /// Says how much it shows.
  ///
  /// @param terminal the number of our side
  /// @return 0, or the system's error, negative
  public static int resize(int terminal, SpawnPlan.TerminalSize size) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment window = arena.allocate(ValueLayout.JAVA_SHORT, 4); // struct winsize
      window.setAtIndex(ValueLayout.JAVA_SHORT, 0, (short) size.rows());
      window.setAtIndex(ValueLayout.JAVA_SHORT, 1, (short) size.columns());
      return LinuxCalls.device(terminal, SET_SIZE, window);
    }
  }
}
