// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.StackGuard;
import dev.heddle.process.Pid;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.instance.ProcessLifecycle;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.routing.RoutingTable;
import java.util.function.LongConsumer;

/// Links and monitors by address. Runs on the worker of the process that adds or removes them.
final class LinkOperations {
  private final ProcessDirectory processDirectory;
  private final RoutingTable routingTable;

  /// Operates on the processes of a directory.
  LinkOperations(ProcessDirectory processDirectory, RoutingTable routingTable) {
    this.processDirectory = processDirectory;
    this.routingTable = routingTable;
  }

  /// Links a process to another.
  void link(ProcessInstance one, Pid other) {
    StackGuard.requireAmpleRoom(); // else a stack overflow could leave a link on one side only
    ProcessInstance found = processDirectory.findProcess(other);
    if (found != null) {
      ProcessLinks.link(one, found);
    } else {
      ProcessLinks.linkToEnded(
          one,
          ProcessDirectory.exitOfUnknown(routingTable.canonical(other))); // the key of unlink()
    }
  }

  /// Removes a link of a running process.
  void unlink(ProcessInstance one, Pid other) {
    StackGuard.requireAmpleRoom(); // a stack overflow would leave a lock locked
    ProcessInstance found = processDirectory.find(other);
    if (found == null) {
      one.processLinks().unlinkEnded(routingTable.canonical(other));
    } else {
      ProcessLinks.unlink(one, found);
    }
  }

  /// Lets a process monitor another.
  long monitor(ProcessLifecycle watcher, Pid target, LongConsumer known) {
    StackGuard.requireAmpleRoom(); // the same
    ProcessInstance found = processDirectory.findProcess(target);
    return found != null
        ? ProcessLinks.monitor(watcher, found, known)
        : ProcessLinks.monitorEnded(watcher, ProcessDirectory.exitOfUnknown(target), known);
  }
}
