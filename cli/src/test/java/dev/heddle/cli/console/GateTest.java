// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("watch-5")
class GateTest {
  private final Gate gate = new Gate("secret", 8080);

  /// @param headers `name: value`, by bars
  private Gate.Verdict judge(String method, String path, String headers) {
    HttpRequest request =
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), path);
    for (String header : headers.split("\\|")) {
      String[] parts = header.split(": ", 2);
      request.headers().add(parts[0], parts[1]);
    }
    return gate.judge(request);
  }

  @ParameterizedTest
  @CsvSource({
    "/secret/, ''",
    "/secret/app.js, app.js",
    "/secret/api/1/0/waits?x, api/1/0/waits?x",
    "/secret//x, /x",
    "/secret/../x, ../x"
  })
  void pathAfterTheToken_isPassedOnAsItIs(String path, String rest) {
    Gate.Verdict verdict = judge("GET", path, "Host: 127.0.0.1:8080");
    assertThat(verdict.refusal()).isNull();
    assertThat(verdict.path()).isEqualTo(rest);
  }

  /// A foreign page that knew the URL could open the stream of events as a page.
  @ParameterizedTest
  @CsvSource({"/secret/, true", "/secret/events, false", "/secret/api/1/0/waits, false"})
  void linkOfAnotherSite_leadsToThePageOnly(String path, boolean passes) {
    String foreign = "Host: 127.0.0.1:8080|Sec-Fetch-Site: cross-site|";
    String navigation = foreign + "Sec-Fetch-Mode: navigate|Sec-Fetch-Dest: document";
    assertThat(judge("GET", path, navigation).refusal() == null).isEqualTo(passes);
    assertThat(judge("GET", path, foreign + "Sec-Fetch-Mode: no-cors").refusal()).isNotNull();
  }

  /// The name of a foreign page may lead to this address (DNS rebinding).
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: evil.example:8080",
        "Host: localhost:8080",
        "Host: 127.0.0.1:8081",
        "Host: 127.0.0.1:8080|Host: 127.0.0.1:8080",
        "Accept: */*"
      })
  void hostThatIsNotAsPrinted_isRefused(String headers) {
    Gate.Verdict verdict = judge("GET", "/secret/", headers);
    assertThat(Objects.requireNonNull(verdict.refusal()).code()).isEqualTo(403);
    assertThat(verdict.why()).isEqualTo("open the URL as it was printed, with 127.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://evil.example",
        "null",
        "https://127.0.0.1:8080",
        "http://localhost:8080",
        "http://127.0.0.1:8080|Origin: http://evil.example"
      })
  void originOfAnotherPage_isRefused_evenWithTheToken(String origin) {
    Gate.Verdict verdict = judge("GET", "/secret/", "Host: 127.0.0.1:8080|Origin: " + origin);
    assertThat(Objects.requireNonNull(verdict.refusal()).code()).isEqualTo(403);
    assertThat(verdict.why()).isEqualTo("another page asks");
  }

  @ParameterizedTest
  @CsvSource({
    "Content-Length: 1, false",
    "Content-Length: 1073741824, false",
    "Content-Length: 0|Content-Length: 5, false",
    "Transfer-Encoding: chunked, false",
    "Content-Length: 0, true"
  })
  void body_isRefusedByItsHead(String header, boolean passes) {
    Gate.Verdict verdict = judge("GET", "/secret/", "Host: 127.0.0.1:8080|" + header);
    assertThat(verdict.refusal() == null).isEqualTo(passes);
    assertThat(verdict.why()).isEqualTo(passes ? "" : "no request has a body here");
  }

  /// To those without the token all is the same: neither paths nor methods are told apart.
  @ParameterizedTest
  @CsvSource({"GET, /", "GET, /secre/", "GET, /secret", "POST, /x/", "GET, /secretx/app.js"})
  void withoutTheToken_allIsTheSame(String method, String path) {
    Gate.Verdict verdict = judge(method, path, "Host: 127.0.0.1:8080");
    assertThat(Objects.requireNonNull(verdict.refusal()).code()).isEqualTo(403);
    assertThat(verdict.why()).isEqualTo("the URL is not that of this console");
    assertThat(verdict.path()).isEmpty();
  }

  /// With the port 80 each request of a browser was refused: browsers leave it out.
  @Test
  void port80_isNotInTheHostThatBrowsersName() {
    HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/secret/");
    request.headers().add("Host", "127.0.0.1").add("Origin", "http://127.0.0.1");
    assertThat(new Gate("secret", 80).judge(request).refusal()).isNull();
    assertThat(gate.judge(request).refusal()).isNotNull();
  }

  @Test
  void token_isNewForEachConsole_andFitsIntoAPath() {
    String token = Gate.newToken();
    assertThat(token).matches("[\\w-]{32}").isNotEqualTo(Gate.newToken());
  }
}
