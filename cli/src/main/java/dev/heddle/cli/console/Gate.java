// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Decides which requests are answered.
final class Gate {
  /*
   * Who may ask. The one who has the URL, which this command prints on its terminal: 192 random
   * bits are the first part of its path. Others can reach the port: any user of the machine, and
   * any page that a browser of this user has open.
   *
   *   from                                   is stopped by
   *   another user of the machine            PeerUser, where the system tells; the token
   *   a page of another origin, by fetch     the token; Origin and Sec-Fetch-Site; no CORS header,
   *                                          so that it could not read an answer
   *   a page whose name leads to 127.0.0.1   Host, which has that name (DNS rebinding)
   *   a server of another user on [::1],     the URL has 127.0.0.1, and "localhost" is refused:
   *   to which "localhost" may lead          its readers would send the token there
   *   a page that frames this one            frame-ancestors of the Content-Security-Policy
   *   text of the observed program in the    the page writes text nodes only; the policy runs no
   *   page: names, reports                   inline script and loads nothing from elsewhere
   *   a path that leads out of the page      no file system is asked: Pages is a table
   *   a large body                           no request has a body; it is refused by its head
   *
   * The token is compared in constant time, and before anything is said about a path: to those
   * without it every path is the same.
   *
   * Rejected. A cookie: other pages send it, too, and to other ports. A token in the query: each
   * reference of the page would have to repeat it. A password: the terminal is there.
   */
  private static final int TOKEN_BYTES = 24;
  private static final int HTTP = 80;
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private final byte[] token;
  private final Set<String> hosts;
  private final Set<String> origins;

  /// What becomes of a request.
  ///
  /// @param refusal null when it is answered
  /// @param why the refusal in words
  /// @param path what is asked for, without the token; empty when it is refused
  record Verdict(@Nullable HttpResponseStatus refusal, String why, String path) {}

  Gate(String token, int port) {
    this.token = token.getBytes(StandardCharsets.US_ASCII);
    // browsers leave out the port 80
    this.hosts = Set.of(port == HTTP ? "127.0.0.1" : "127.0.0.1:" + port);
    this.origins = Set.of(port == HTTP ? "http://127.0.0.1" : "http://127.0.0.1:" + port);
  }

  static String newToken() {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  Verdict judge(HttpRequest request) {
    HttpHeaders headers = request.headers();
    if (request.decoderResult().isFailure()) {
      return refused(HttpResponseStatus.BAD_REQUEST, "that is no HTTP");
    }
    if (hasBody(headers)) {
      return refused(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "no request has a body here");
    }
    if (!isOne(headers.getAll(HttpHeaderNames.HOST), hosts)) {
      return refused(
          HttpResponseStatus.FORBIDDEN, "open the URL as it was printed, with 127.0.0.1");
    }
    if (!headers.getAll(HttpHeaderNames.ORIGIN).isEmpty()
        && !isOne(headers.getAll(HttpHeaderNames.ORIGIN), origins)) {
      return refused(HttpResponseStatus.FORBIDDEN, "another page asks");
    }
    String[] parts = request.uri().split("/", 3); // "", the token, the rest
    if (!isOwnSite(headers, parts.length == 3 && parts[2].isEmpty())) {
      return refused(HttpResponseStatus.FORBIDDEN, "another site asks");
    }
    boolean isKnown =
        parts.length == 3
            && parts[0].isEmpty()
            && MessageDigest.isEqual(token, parts[1].getBytes(StandardCharsets.UTF_8));
    if (!isKnown) {
      return refused(HttpResponseStatus.FORBIDDEN, "the URL is not that of this console");
    }
    if (!request.method().equals(HttpMethod.GET)) {
      return refused(HttpResponseStatus.METHOD_NOT_ALLOWED, "only GET is served");
    }
    return new Verdict(null, "", parts[2]);
  }

  private static Verdict refused(HttpResponseStatus status, String why) {
    return new Verdict(status, why, "");
  }

  private static boolean hasBody(HttpHeaders headers) {
    List<String> lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
    return headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
        || !(lengths.isEmpty() || lengths.equals(List.of("0")));
  }

  private static boolean isOne(List<String> values, Set<String> allowed) {
    return values.size() == 1 && allowed.contains(values.getFirst());
  }

  /// Browsers say where a request comes from. A person may come from anywhere, by the URL of the
  /// page, as from the file by which this command opens a browser.
  private static boolean isOwnSite(HttpHeaders headers, boolean isPage) {
    String site = headers.get("Sec-Fetch-Site");
    return site == null
        || OWN_SITES.contains(site)
        || (isPage
            && "navigate".equals(headers.get("Sec-Fetch-Mode"))
            && "document".equals(headers.get("Sec-Fetch-Dest")));
  }
}
