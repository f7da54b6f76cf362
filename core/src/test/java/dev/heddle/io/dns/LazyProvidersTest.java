// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Providers of resolvers are loaded one after the other, when they are asked for.
class LazyProvidersTest {
  private final List<Integer> loaded = new ArrayList<>();
  private Runnable whileLoading = () -> {};
  private final LazyProviders providers =
      new LazyProviders(List.of(provider(0), provider(1)).iterator());

  private ServiceLoader.Provider<NameResolverProvider> provider(int number) {
    return new ServiceLoader.Provider<>() {
      @Override
      public Class<? extends NameResolverProvider> type() {
        throw new IllegalStateException("would load the class");
      }

      @Override
      public NameResolverProvider get() {
        loaded.add(number);
        whileLoading.run();
        return new Nobody();
      }
    };
  }

  private static final class Nobody implements NameResolverProvider {
    @Override
    public @Nullable NameResolver current() {
      return null;
    }
  }

  @Test
  void second_isLoadedWhenItIsAskedFor_andOnce() {
    assertThat(loaded).isEmpty();
    NameResolverProvider first = providers.get(0);
    assertThat(providers.get(0)).isSameAs(first).isNotNull();
    assertThat(loaded).containsExactly(0);
    assertThat(providers.get(1)).isNotNull();
    assertThat(loaded).containsExactly(0, 1);
  }

  @Test
  void oneThatCannotBeLoaded_saysSoEachTime() {
    whileLoading =
        () -> {
          throw new ServiceConfigurationError("on purpose");
        };
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> providers.get(0)).isInstanceOf(ServiceConfigurationError.class);
    }
    assertThat(loaded).containsExactly(0);
  }

  @Test
  void lookUp_byAProviderThatIsLoaded_findsNone() {
    List<@Nullable NameResolverProvider> found = new ArrayList<>();
    whileLoading = () -> found.add(providers.get(0));
    assertThat(providers.get(0)).isNotNull();
    assertThat(found).containsOnlyNulls();
    assertThat(loaded).containsExactly(0);
  }

  @Test
  void behindTheLast_isNone() {
    assertThat(providers.get(2)).isNull();
    assertThat(loaded).containsExactly(0, 1);
  }
}
