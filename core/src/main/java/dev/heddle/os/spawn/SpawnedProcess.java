// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import dev.heddle.reactor.raw.RawCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A process that [PosixSpawn] has started: nobody but us asks the system how it has ended.
///
/// **Thread** one at a time: the one that starts it, then the loop's, then that of the loop's end.
public final class SpawnedProcess {
  /// A stream that goes nowhere we know of.
  public static final int NONE = -1;

  /// How it has ended is not known: other code of this process has asked for it.
  private static final int UNKNOWN = 0; // as the JDK has it

  private static final int BY_SIGNAL = 128; // as the JDK, and shells, say it
  private static final int SIGNAL = 0x7f; // of a status
  private static final int EXIT = 0xff00; // of a status
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

  private volatile boolean reaped; // read beside the loop, too, by who signals its group
  private int code;

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

  /// Asks how it has ended, if it has. Does not wait.
  ///
  /// @return whether it has
  public boolean hasEnded() {
    return reaped || reap(false);
  }

  /// Waits until it has ended.
  public void awaitEnd() {
    if (!reaped) {
      reap(true);
    }
  }

  private boolean reap(boolean wait) {
    int[] status = new int[1];
    int result = SpawnCalls.reap(pid, wait, status);
    if (result == 0) {
      return false;
    }
    int signal = status[0] & SIGNAL;
    int exit = signal == 0 ? (status[0] & EXIT) >> 8 : BY_SIGNAL + signal;
    code = result < 0 ? UNKNOWN : exit;
    reaped = true;
    return true;
  }

  /// How it has ended, as the JDK says it.
  public int code() {
    return code;
  }

  /// Sends it SIGKILL, unless it has ended.
  public void kill() {
    if (!reaped) {
      SpawnCalls.kill(pid, KILL);
    }
  }

  /// Sends a signal to all of its group. A group that has ended may have left its number to another
  /// process: then nobody gets it. **Thread** any.
  ///
  /// @return 0, or the system's error, negative
  public int signalGroup(int signal) {
    if (reaped && SpawnCalls.kill(pid, 0) != -SpawnCalls.ESRCH) {
      return -SpawnCalls.ESRCH;
    }
    return SpawnCalls.kill(-pid, signal);
  }

  /// Whether somebody of its group is there that could still do something. **Thread** any; where
  /// there may be somebody, it looks at all processes: a millisecond for a hundred of them.
  public boolean hasLiveGroup() {
    return leads && signalGroup(0) != -SpawnCalls.ESRCH && ProcessGroups.hasLiveMember(pid);
  }

  /// Waits for its end on a thread of its own, for it is about to come: else it would stay in the
  /// system's table for as long as this process lives.
  public void reapLater() {
    if (hasEnded()) {
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
      return RawCalls.device(terminal, SET_SIZE, window);
    }
  }
}
