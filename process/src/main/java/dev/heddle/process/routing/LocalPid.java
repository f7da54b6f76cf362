// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.routing;

import dev.heddle.process.Pid;

/// An address with a direct reference to its receiver, in the runtime that created it. Equal to any
/// other PID of the same address.
public final class LocalPid extends Pid {
  private final Receiver receiver;

  public LocalPid(Pid address, Receiver receiver) {
    super(address.node(), address.host(), address.id(), address.incarnation());
    this.receiver = receiver;
  }

  public Receiver receiver() {
    return receiver;
  }

  @Override
  public Pid address() {
    return new Pid(node(), host(), id(), incarnation());
  }
}
