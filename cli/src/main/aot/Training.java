// SPDX-License-Identifier: Apache-2.0

// What most programs do first. The launcher runs it once to learn which classes to keep ready, of
// the compiler above all: so it
// uses a little of everything of the language.
import dev.heddle.Heddle;
import dev.heddle.io.Tcp;
import dev.heddle.process.Commands;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.StartOptions;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

sealed interface Yarn permits Warp, Weft {}

record Warp(String name, int ends) implements Yarn {}

record Weft(String name, double picks) implements Yarn {}

enum Colour {
  RED,
  BLUE
}

void main(String[] args) throws Exception {
  Map<Colour, List<Yarn>> cloth = new HashMap<>();
  for (int i = 0; i < 8; i++) {
    Yarn thread = i % 2 == 0 ? new Warp("warp-" + i, i * 3) : new Weft("weft-" + i, i / 2.0);
    cloth.computeIfAbsent(i < 4 ? Colour.RED : Colour.BLUE, _ -> new ArrayList<>()).add(thread);
  }
  for (var entry : cloth.entrySet()) {
    IO.println(entry.getKey() + ": " + describe(entry.getValue(), this::words));
  }
  IO.println("%d of %s after %s".formatted(weave(), cloth.keySet(), echo("hello")));
  IO.println(delegate("well"));
}

Object delegate(String text) throws InterruptedException {
  try (var runtime = ProcessRuntime.start()) {
    var clerk =
        runtime.spawn(
            (events, out) -> {
              for (var event : events) {
                if (event.data() instanceof Request request) {
                  request.reply().complete(request.message() + " done");
                  out.done();
                }
              }
            },
            StartOptions.defaults().withName("clerk"));
    var boss =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              self.context().monitor(clerk);
              self.sleep(Duration.ofMillis(1));
              var answer =
                  self.execute(Commands.ask(clerk, self.receive(String.class), Duration.ofSeconds(5)));
              return answer + ": " + self.receive(ProcessSignal.Down.class).exit().reason();
            }));
    var shop =
        runtime.spawn(
            Supervisor.builder()
                .child(ChildSpec.of("server", () -> CoroutineProcess.of(CoroutineProcess::receive)))
                .build());
    runtime.send(boss, text);
    runtime.ask(shop, new Supervisor.WhichChildren(), Duration.ofSeconds(5));
    return Heddle.await(runtime.whenExited(boss)).result();
  }
}

<T> String describe(List<? extends T> all, Function<? super T, String> text) {
  return all.stream().filter(one -> one != null).map(text).collect(Collectors.joining(", "));
}

String words(Yarn thread) {
  return switch (thread) {
    case Warp(String name, int ends) when ends > 0 -> name + "/" + ends;
    case Warp warp -> warp.name();
    case Weft weft -> weft.name() + '/' + weft.picks();
  };
}

long weave() {
  long total = 0;
  int[] counts = {1, 2, 3};
  boolean odd = false;
  for (int count : counts) {
    odd = !odd && (count & 1) == 1 || count > 2;
    total += odd ? count << 1 : -count;
  }
  while (total > 100 || total < -100) {
    total >>= 1;
  }
  long base = total;
  return Heddle.scope(scope -> {
    var left = scope.spawn("left", () -> slowly(base));
    var right = scope.spawn(() -> Heddle.withTimeout(Duration.ofSeconds(5), () -> slowly(2L)));
    return left.await() + right.await();
  });
}

<T> T slowly(T value) throws InterruptedException {
  Heddle.delay(Duration.ofMillis(1));
  Thread.sleep(1);
  return value;
}

String echo(String text) throws Exception {
  var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  return Heddle.scope(scope -> {
    try (var listener = Tcp.listen(address)) {
      scope.launch(
          "server",
          () -> {
            try (var peer = listener.accept()) {
              var buffer = ByteBuffer.allocate(64);
              peer.read(buffer);
              peer.write(buffer.flip());
            }
          });
      try (var peer = Tcp.connect(listener.localAddress())) {
        peer.write(StandardCharsets.UTF_8.encode(text));
        var answer = ByteBuffer.allocate(64);
        peer.read(answer);
        return StandardCharsets.UTF_8.decode(answer.flip()).toString();
      }
    }
  });
}
