// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.routing;

import dev.heddle.process.Pid;

/// An address that leads straight to its receiver, in the runtime that has given it out. Equal to
/// any other PID of the same address.
public final class LocalPid extends Pid {
  private final Receiver receiver;

  /// The same address, leading to `receiver`.
  public LocalPid(Pid address, Receiver receiver) {
    super(address.node(), address.host(), address.id(), address.incarnation());
    this.receiver = receiver;
  }

  /// What it leads to.
  public Receiver receiver() {
    return receiver;
  }

  @Override
  public Pid address() {
    return new Pid(node(), host(), id(), incarnation());
  }
}
