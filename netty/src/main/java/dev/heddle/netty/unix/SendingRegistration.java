// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

/// A registration whose driver also sends, together with everything else that a turn submits.
public interface SendingRegistration extends EdgeRegistration {
  /// Sends bytes that must stay valid until [UnixDescriptor#sent]; the send is non-blocking.
  void send(long address, int length);
}
