// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.LocalProcesses;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Reports to the processes here what the other node has refused of their messages, if they want
/// that. Any thread.
///
/// It remembers the senders to the last receivers that such processes have sent to, between 8,192
/// and 16,384 of them.
final class RefusedMessages {
  private static final int GENERATION = 8_192;

  private final LocalProcesses local;
  private final LongAdder count = new LongAdder();

  // senders by receiver; a full generation becomes the old one
  private volatile ConcurrentMap<Pid, Set<Pid>> senders = new ConcurrentHashMap<>();
  private volatile ConcurrentMap<Pid, Set<Pid>> older = new ConcurrentHashMap<>();

  RefusedMessages(LocalProcesses local) {
    this.local = local;
  }

  /// The process on this thread is about to send a message.
  void sending(Pid to) {
    Pid sender = local.senderToNotify();
    if (sender == null) {
      return;
    }
    ConcurrentMap<Pid, Set<Pid>> current = senders;
    current.computeIfAbsent(to, _ -> ConcurrentHashMap.newKeySet(2)).add(sender);
    if (current.size() > GENERATION) {
      older = current; // safe: two threads that do so at once forget some senders earlier
      senders = new ConcurrentHashMap<>();
    }
  }

  void onRefused(Pid to, SendResult why, long refused) {
    count.add(refused);
    ProcessSignal.Undelivered signal = new ProcessSignal.Undelivered(to, refused, why);
    notify(senders.get(to), signal);
    notify(older.get(to), signal);
  }

  private void notify(@Nullable Set<Pid> who, ProcessSignal.Undelivered signal) {
    if (who != null) {
      who.forEach(sender -> local.undelivered(sender, signal));
    }
  }

  long count() {
    return count.sum();
  }
}
