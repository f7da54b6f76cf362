// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.load.Load;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Server;
import java.util.function.Function;
import java.util.function.Supplier;

/// What a contender does, and where.
public sealed interface Workload {
  /// Rounds in a JVM of its own.
  non-sealed interface Programs extends Workload {
    /// The program of one case.
    ///
    /// @throws Exception when it cannot be made; the contender then counts as missing
    Program of(Case size) throws Exception;
  }

  /// A server in a process of its own, under the load of the bench's client.
  ///
  /// @param host the process
  /// @param loads what it is asked, by case
  record Serving(Host host, Function<Case, Load> loads) implements Workload {}

  /// The process of a server.
  sealed interface Host {}

  /// A JVM.
  ///
  /// @param server makes what it runs
  record Jvm(Supplier<Server> server) implements Host {}

  /// A program in another language: rounds, told as in `ForkMain`, or a server.
  ///
  /// @param language of it, and its folder below `bench/peers`
  /// @param task [#ROUNDS], or which server: its argument
  record Peer(Language language, String task) implements Workload, Host {
    /// The task of those that run rounds: which ones, each case says by its name.
    public static final String ROUNDS = "rounds";
  }

  /// A language with programs in `bench/peers`.
  enum Language {
    /// Built with the Go toolchain.
    GO("go"),
    /// Rust on Tokio, built with Cargo.
    TOKIO("cargo"),
    /// JavaScript on Node.js, not built.
    NODE("node"),
    /// Built with Erlang's compiler, which is where its runtime is.
    ERLANG("erlc");

    private final String command;

    Language(String command) {
      this.command = command;
    }

    /// What must be on the PATH for it.
    public String command() {
      return command;
    }
  }
}
