// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

/// A watch whose driver also sends, together with all else that a turn submits.
public interface SendingRegistration extends EdgeRegistration {
  /// Has bytes sent that stay where they are until [UnixDescriptor#sent]; the call does not wait
  /// for room.
  void send(long address, int length);
}
