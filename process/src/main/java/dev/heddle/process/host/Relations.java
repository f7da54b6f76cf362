// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.StackReserve;
import dev.heddle.process.Pid;
import dev.heddle.process.live.LiveProcess;
import dev.heddle.process.live.Mortal;
import dev.heddle.process.relay.Routes;
import dev.heddle.process.topology.Ties;
import java.util.function.LongConsumer;

/// Links and monitors, by address. The worker of the process that makes or undoes them.
final class Relations {
  private final Directory directory;
  private final Routes routes;

  /// Of the processes of a directory.
  Relations(Directory directory, Routes routes) {
    this.directory = directory;
    this.routes = routes;
  }

  /// Links a process to another.
  void link(LiveProcess one, Pid other) {
    StackReserve.requireAmple(); // else one might know of it, and the other not
    LiveProcess found = directory.findProcess(other);
    if (found != null) {
      Ties.link(one, found);
    } else {
      Ties.linkGone(one, Directory.gone(routes.canonical(other))); // what unlink() looks for
    }
  }

  /// Undoes a link of a process, which runs.
  void unlink(LiveProcess one, Pid other) {
    StackReserve.requireAmple(); // a lock that is cut off stays locked
    LiveProcess found = directory.find(other);
    if (found == null) {
      one.ties().unlinkGone(routes.canonical(other));
    } else {
      Ties.unlink(one, found);
    }
  }

  /// Lets a process monitor another.
  long monitor(Mortal watcher, Pid target, LongConsumer known) {
    StackReserve.requireAmple(); // the same
    LiveProcess found = directory.findProcess(target);
    return found != null
        ? Ties.monitor(watcher, found, known)
        : Ties.monitorGone(watcher, Directory.gone(target), known);
  }
}
