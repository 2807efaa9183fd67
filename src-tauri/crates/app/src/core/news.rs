//! What a service tells those above it, which it does not know. All of it is carried out before the teller goes on.

use futures_util::future::BoxFuture;
use siltstone_contract::Topic;
use siltstone_engine::project::Project;

use super::Core;

/// Hears what services tell; the app that puts them together is the one that does.
pub(crate) trait News: Send + Sync {
    /// Something went stale.
    fn changed(&self, topics: &[Topic]);
    /// Providers or tools came, went or changed.
    fn layers_changed(&self) -> BoxFuture<'_, ()>;
    /// The rules of a project, or the answer about their trust, may have changed.
    fn rules_changed<'a>(&'a self, project: &'a Project) -> BoxFuture<'a, ()>;
    /// The keyring or the encrypted file was opened.
    fn keys_opened(&self) -> BoxFuture<'_, ()>;
    /// The month's limit is another one, or the person lets the month go on.
    fn month_goes_on(&self);
    /// Another plan is worked on in a project.
    fn plan_changed(&self, project: Project, plan: String) -> BoxFuture<'_, ()>;
}

impl Core {
    /// From now on this is who hears the news; it is said once, by whoever puts services together.
    pub(crate) fn heard_by(&self, news: impl News + 'static) {
        let _ = self.news.set(Box::new(news));
    }

    pub(super) fn news(&self) -> Option<&dyn News> {
        self.news.get().map(AsRef::as_ref)
    }

    pub(crate) async fn layers_changed(&self) {
        if let Some(news) = self.news() {
            news.layers_changed().await;
        }
    }

    pub(crate) async fn rules_changed(&self, project: &Project) {
        if let Some(news) = self.news() {
            news.rules_changed(project).await;
        }
    }

    pub(crate) async fn keys_opened(&self) {
        if let Some(news) = self.news() {
            news.keys_opened().await;
        }
    }

    pub(crate) fn month_goes_on(&self) {
        if let Some(news) = self.news() {
            news.month_goes_on();
        }
    }

    pub(crate) async fn plan_changed(&self, project: Project, plan: String) {
        if let Some(news) = self.news() {
            news.plan_changed(project, plan).await;
        }
    }
}
