// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.jmx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/// Beans in the MBean server of this JVM.
class ManagedBeanTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  /// A bean.
  public interface CountMXBean {
    int getCount();
  }

  private static ManagedBean<CountMXBean> bean(String name, int count) {
    return new ManagedBean<>("ManagedBeanTest", name, () -> count, CountMXBean.class);
  }

  private static ObjectName of(String name) throws Exception {
    return new ObjectName("dev.heddle:type=ManagedBeanTest,name=" + name);
  }

  @Test
  void secondOfAName_getsANumber_andAnOddNameIsQuoted() throws Exception {
    List<ManagedBean<CountMXBean>> beans = List.of(bean("x", 1), bean("x", 2), bean("a,b", 3));
    beans.forEach(ManagedBean::join);
    assertThat(SERVER.getAttribute(of("x"), "Count")).isEqualTo(1);
    assertThat(SERVER.getAttribute(of("x-2"), "Count")).isEqualTo(2);
    assertThat(SERVER.getAttribute(of("\"a,b\""), "Count")).isEqualTo(3);
    for (ManagedBean<CountMXBean> each : beans) {
      assertThat(each.mayJoin()).isFalse();
      assertThat(each.leave()).isTrue();
      each.unregister();
      assertThat(each.leave()).isFalse();
    }
    assertThat(SERVER.queryNames(of("*"), null)).isEmpty();
  }

  @Test
  void beanThatHasLeft_isNotRegistered() throws Exception {
    ManagedBean<CountMXBean> bean = bean("left", 1);
    assertThat(bean.leave()).isFalse();
    bean.join();
    assertThat(SERVER.isRegistered(of("left"))).isFalse();
  }

  @Test
  void beanThatLeavesWhileItIsRegistered_isUnregistered() throws Exception {
    ManagedBean<CountMXBean> bean = bean("late", 1);
    List<Boolean> left = new ArrayList<>();
    NotificationListener leaves =
        (note, _) -> {
          if (left.isEmpty()) {
            left.add(bean.leave());
          }
        };
    SERVER.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, leaves, null, null);
    try {
      bean.join();
    } finally {
      SERVER.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, leaves);
    }
    assertThat(left).containsExactly(false); // join() is the one to unregister it
    assertThat(SERVER.isRegistered(of("late"))).isFalse();
  }

  @Test
  void serverThatRefuses_isTold_andNotAskedAgain() {
    ManagedBean<CountMXBean> bean =
        new ManagedBean<>("ManagedBeanTest=", "x", () -> 1, CountMXBean.class);
    assertThatThrownBy(bean::join)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("'x' cannot be seen by management tools")
        .hasCauseInstanceOf(javax.management.MalformedObjectNameException.class);
    assertThat(bean.mayJoin()).isFalse();
    assertThat(bean.leave()).isFalse();
  }
}
