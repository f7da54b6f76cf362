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
  private final ProcessDirectory directory;
  private final RoutingTable routes;

  LinkOperations(ProcessDirectory directory, RoutingTable routes) {
    this.directory = directory;
    this.routes = routes;
  }

  void link(ProcessInstance one, Pid other) {
    StackGuard.requireAmpleRoom(); // else a stack overflow could leave a link on one side only
    ProcessInstance found = directory.findProcess(other);
    if (found != null) {
      ProcessLinks.link(one, found);
    } else {
      ProcessLinks.linkToEnded(
          one, ProcessDirectory.exitOfUnknown(routes.canonical(other))); // the key of unlink()
    }
  }

  void unlink(ProcessInstance one, Pid other) {
    StackGuard.requireAmpleRoom(); // a stack overflow would leave a lock locked
    ProcessInstance found = directory.find(other);
    if (found == null) {
      one.processLinks().unlinkEnded(routes.canonical(other));
    } else {
      ProcessLinks.unlink(one, found);
    }
  }

  long monitor(ProcessLifecycle watcher, Pid target, LongConsumer known) {
    StackGuard.requireAmpleRoom(); // as above
    ProcessInstance found = directory.findProcess(target);
    return found != null
        ? ProcessLinks.monitor(watcher, found, known)
        : ProcessLinks.monitorEnded(watcher, ProcessDirectory.exitOfUnknown(target), known);
  }
}
