// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import javax.net.ssl.SSLSession;

/// A connection that nobody else can read or change.
///
/// Reads end with -1 only when the other side has said that it is done: a connection that was cut
/// fails with an [java.io.EOFException]. To close it says so to the other side as far as that is
/// possible without a wait, and closes the connection below.
///
/// {@snippet class=dev.heddle.snippets.TlsSnippetsTest region=client}
///
/// @since 0.1
public interface TlsSocket extends AsyncIo {
  /// Says that no more will be written; reading goes on. **Suspends** until it has left.
  ///
  /// @throws IOException when the connection broke
  void shutdownOutput() throws IOException;

  /// What was agreed on: version, cipher suite, certificates.
  SSLSession session();

  /// The application protocol that was agreed on (ALPN); empty: none.
  String protocol();
}
