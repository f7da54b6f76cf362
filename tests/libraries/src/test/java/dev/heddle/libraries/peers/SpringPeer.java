// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Loop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/// Spring MVC on Tomcat's own threads: a controller waits for an `@Async` method, and a
/// `@Scheduled` one has run before the first request.
final class SpringPeer {
  private SpringPeer() {}

  static Running start(ScheduledExecutorService executor, Handler handler) throws Exception {
    GenericWebApplicationContext context = new GenericWebApplicationContext();
    context.setClassLoader(SpringPeer.class.getClassLoader()); // not Tomcat's
    context.registerBean("handler", Handler.class, () -> handler);
    context.registerBean("executor", ScheduledExecutorService.class, () -> executor);
    new AnnotatedBeanDefinitionReader(context)
        .register(Web.class, OnALoop.class, Service.class, Heartbeat.class, Controller.class);
    Running tomcat =
        TomcatPeer.start(
            new DispatcherServlet(context),
            connector -> {
              var _ = connector.setProperty("maxThreads", "4"); // fewer than requests that wait
            });
    Loop<?> loop = context.getBean(Heartbeat.class).first.get();
    assertThat(loop.isDone()).isFalse();
    return new Running(
        tomcat.client(),
        () -> {
          tomcat.server().run();
          context.close();
        },
        tomcat.end());
  }

  @Configuration(proxyBeanMethods = false)
  @EnableWebMvc
  static class Web {}

  // @start region=spring
  @Configuration(proxyBeanMethods = false)
  @EnableAsync
  @EnableScheduling
  static class OnALoop {
    @Bean({"applicationTaskExecutor", "taskExecutor"})
    AsyncTaskExecutor taskExecutor(ScheduledExecutorService executor) {
      return new TaskExecutorAdapter(executor); // of @Async, and of MVC's asynchronous requests
    }

    @Bean
    TaskScheduler taskScheduler(ScheduledExecutorService executor) {
      return new ConcurrentTaskScheduler(executor, executor); // of @Scheduled
    }
  }

  // @end

  static class Service {
    private final Handler handler;

    Service(Handler handler) {
      this.handler = handler;
    }

    @Async
    public CompletableFuture<String> answer() throws Exception {
      return CompletableFuture.completedFuture(handler.call());
    }
  }

  @RestController
  static class Controller {
    private final Service service;

    Controller(Service service) {
      this.service = service;
    }

    @GetMapping("/")
    CompletableFuture<String> answer() throws Exception {
      return service.answer();
    }
  }

  static class Heartbeat {
    final CompletableFuture<Loop<?>> first = new CompletableFuture<>();

    @Scheduled(initialDelay = 0, fixedDelay = 1, timeUnit = TimeUnit.HOURS)
    void beat() {
      var _ = first.completeAsync(Loop::current, Runnable::run); // fails outside a coroutine
    }
  }
}
