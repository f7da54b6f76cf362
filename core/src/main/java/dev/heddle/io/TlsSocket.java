// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import javax.net.ssl.SSLSession;

/// A TLS connection: encrypted, authenticated and protected from changes.
///
/// Reads return -1 only after the peer's close_notify; if the connection ends without it, they
/// throw an [java.io.EOFException], because data may be missing. Closing sends close_notify if that
/// is possible without a wait, and closes the connection below.
///
/// {@snippet class=dev.heddle.snippets.TlsSnippetsTest region=client}
///
/// @since 0.1
public interface TlsSocket extends AsyncIo {
  /// Shuts down the output by a close_notify; reading goes on. **Suspends** until it is sent.
  ///
  /// @throws IOException when the connection fails
  void shutdownOutput() throws IOException;

  /// The negotiated session: version, cipher suite, certificates.
  SSLSession session();

  /// The negotiated application protocol (ALPN); empty if none.
  String protocol();
}
