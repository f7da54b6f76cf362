// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.CompositeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The outcomes of the awaitables of an [Await], by their keys. Awaitables that had not ended when
/// the wait did are missing. Immutable.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=outcomes}
///
/// @param <K> a position counted from 0, or the key of a map
/// @param <T> the type of the results
/// @since 0.1
public final class Outcomes<K, T extends @Nullable Object> {
  private final List<Outcome<K, T>> byKey;
  private final List<Outcome<K, T>> byCompletion;

  /// Takes the outcomes twice: in the order of the input, and in the order of completion.
  Outcomes(List<Outcome<K, T>> byKey, List<Outcome<K, T>> byCompletion) {
    this.byKey = byKey;
    this.byCompletion = byCompletion;
  }

  /// The outcome of one awaitable, or of one task.
  ///
  /// {@snippet class=dev.heddle.snippets.SyncPartsSnippetsTest region=outcome}
  ///
  /// @param <K> a position counted from 0, or a key
  /// @param <T> the type of the result
  /// @param key its position or key
  /// @param result null when it failed
  /// @param failure null when it succeeded
  /// @since 0.1
  public record Outcome<K, T extends @Nullable Object>(
      K key, @Nullable T result, @Nullable Throwable failure) {}

  /// The results of the successes, in the order of the input.
  public Map<K, T> results() {
    Map<K, T> results = new LinkedHashMap<>();
    for (Outcome<K, T> o : byKey) {
      if (o.failure == null) {
        results.put(o.key, asResult(o));
      }
    }
    return Collections.unmodifiableMap(results);
  }

  /// The results in the order of the input, with null for each failure.
  public Map<K, @Nullable T> resultsOrNull() {
    Map<K, @Nullable T> results = new LinkedHashMap<>();
    byKey.forEach(o -> results.put(o.key, o.result));
    return Collections.unmodifiableMap(results);
  }

  /// The results of the successes, in the order of the input, without their keys.
  public List<T> values() {
    List<T> values = new ArrayList<>();
    for (Outcome<K, T> o : byKey) {
      if (o.failure == null) {
        values.add(asResult(o));
      }
    }
    return Collections.unmodifiableList(values);
  }

  /// The failures, in the order of the input.
  public Map<K, Throwable> failures() {
    Map<K, Throwable> failures = new LinkedHashMap<>();
    for (Outcome<K, T> o : byKey) {
      if (o.failure != null) {
        failures.put(o.key, o.failure);
      }
    }
    return Collections.unmodifiableMap(failures);
  }

  /// The keys of the awaitables that have ended, in the order of completion.
  public List<K> completionOrder() {
    return byCompletion.stream().map(Outcome::key).toList();
  }

  /// The result of the first success.
  ///
  /// @throws CompositeException when all failed, with their failures
  /// @throws NoSuchElementException when there were none
  public T first() {
    for (Outcome<K, T> o : byCompletion) {
      if (o.failure == null) {
        return asResult(o);
      }
    }
    if (byCompletion.isEmpty()) {
      throw new NoSuchElementException("nothing was awaited, so there is no first result");
    }
    throw new CompositeException(
        "all " + byCompletion.size() + " failed",
        byCompletion.stream().map(Outcome::failure).filter(Objects::nonNull).toList());
  }

  @SuppressWarnings("NullAway") // null exactly when T allows it
  private static <T extends @Nullable Object> T asResult(Outcome<?, T> succeeded) {
    return succeeded.result();
  }

  @Override
  public String toString() {
    return "results " + results() + ", failures " + failures();
  }
}
