// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.program;

/// A program and what must come of it.
///
/// @param name as its origin names it
/// @param expected what an exploration must see
/// @param why what goes wrong in it, or why it fails where its origin says that it passes; empty
///   for a program that passes
/// @param body the code of one run
public record Program(String name, Expected expected, String why, Body body) {

  /// What an exploration of many seeds must see.
  public enum Expected {
    /// Some run ends with everybody waiting.
    DEADLOCK,
    /// Some run ends with an exception.
    FAILURE,
    /// Every run passes.
    PASSES,
    /// Its origin says that it passes. It fails here, for the reason that the row gives.
    EXPLAINED
  }

  /// The code of one run.
  @FunctionalInterface
  public interface Body {
    /// Runs the program.
    ///
    /// @param threads starts the program's threads, which are joined after the body
    /// @throws Exception what the program's main thread throws
    void run(Threads threads) throws Exception;
  }

  /// A row of a table: some run must end with everybody waiting.
  public static Program deadlocks(String name, String why, Body body) {
    return new Program(name, Expected.DEADLOCK, why, body);
  }

  /// A row of a table: some run must end with an exception.
  public static Program breaks(String name, String why, Body body) {
    return new Program(name, Expected.FAILURE, why, body);
  }

  /// A row of a table: every run must pass.
  public static Program passes(String name, Body body) {
    return new Program(name, Expected.PASSES, "", body);
  }

  /// A row of a table: fails here for the reason given, though its origin says that it passes.
  public static Program explained(String name, String why, Body body) {
    return new Program(name, Expected.EXPLAINED, why, body);
  }

  /// Whether a failing run is what is expected.
  public boolean mustFail() {
    return expected == Expected.DEADLOCK || expected == Expected.FAILURE;
  }

  /// Runs the program once, on the calling thread and on those that the program starts.
  ///
  /// @throws Exception the first failure of any of its threads
  public void run() throws Exception {
    Threads threads = new Threads();
    body.run(threads);
    threads.join();
  }

  /// Fails the run unless a condition holds.
  ///
  /// @param holds the condition
  /// @param otherwise what it means that it does not hold
  public static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
